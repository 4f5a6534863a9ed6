# A thread that writes a file (scribe.h), so that steps do not wait for the system to find room for their frames.

cdef extern from "recording/scribe.h" nogil:
    ctypedef struct Scribe:
        char* spare          # the buffer that is written, or that was
        size_t room          # [bytes] of it

    Scribe* scribe_make(int fd)                                               # NULL: errno says why
    int scribe_give(Scribe* s, char** buffer, size_t* room, size_t size)      # exchanges buffers; 0, or errno
    int scribe_wait(Scribe* s)                                                # likewise
    void scribe_end(Scribe* s)                                                # closes the file
