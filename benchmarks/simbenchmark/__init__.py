"""SimBenchmark's scenes and measures of quality (Kang and Hwangbo, 2018), beside what was published for RaiSim.

``python -m benchmarks.simbenchmark [--full] [--only NAME]``
"""
