"""Random mechanisms under random constraints: do the laws of mechanics hold?"""
