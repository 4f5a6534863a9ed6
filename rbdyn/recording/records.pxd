# Records: what a recording's file consists of.
#
# The file begins with FILE_HEAD bytes: "rbdyn recording\n", the layout's number, 0x01020304 in the machine's byte
# order, and 8 zero bytes.  Records follow, each a head and a payload that is padded with zeros to whole words of 8
# bytes.  They are only ever appended.  A file that ends in the middle of a record has lost that one; every change of a
# byte before is found by the checksum.

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    FILE_HEAD = 32            # [bytes]
    LAYOUT = 1                # changes with every change of what records hold

cdef struct RecordHead:
    char kind[4]              # what the payload is: of files.py
    uint32_t padding          # [bytes] 0 to 7 at the payload's end that are not of it
    uint64_t size             # [bytes] of the padded payload
    uint64_t checksum         # of all that stands before, and of the payload

cdef inline uint64_t mixed(uint64_t h, uint64_t word) noexcept nogil:
    """One more word of a checksum.

    FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) over words, with a rotation that brings what only changed high bits down.
    For a given word it is a bijection of h, for a given h one of the word: a change within one word is always found.
    """
    h ^= word
    h = (h << 29) | (h >> 35)
    return h * <uint64_t> 0x9E3779B97F4A7C15

cdef inline uint64_t record_checksum(const RecordHead* head, const char* payload) noexcept nogil:
    """What `head.checksum` has to be: of four checksums of every fourth word, which a processor works at at once."""
    cdef const uint64_t* words = <const uint64_t*> payload
    cdef uint64_t a = mixed(<uint64_t> 0xCBF29CE484222325, (<const uint64_t*> head)[0])
    cdef uint64_t b = mixed(<uint64_t> 0xCBF29CE484222325, head.size)
    cdef uint64_t c = 1, d = 2, k = 0, n = head.size >> 3
    while k + 4 <= n:
        a, b = mixed(a, words[k]), mixed(b, words[k + 1])
        c, d = mixed(c, words[k + 2]), mixed(d, words[k + 3])
        k += 4
    while k < n:
        a = mixed(a, words[k])
        k += 1
    return mixed(mixed(mixed(a, b), c), d)

cdef inline void seal(RecordHead* head, const char* kind, uint32_t padding, uint64_t size) noexcept nogil:
    """Write the head of the payload that lies behind it in memory."""
    cdef int k
    for k in range(4):
        head.kind[k] = kind[k]
    head.padding, head.size = padding, size
    head.checksum = record_checksum(head, <const char*> (head + 1))
