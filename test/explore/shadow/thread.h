/* Thread-local variables of the explorer's threads: plain variables in a section that a switch exchanges. */
#define __thread __attribute__((section("explore_tls")))
