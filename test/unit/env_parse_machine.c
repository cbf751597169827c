/* The parsers of KMP_HW_SUBSET and of libomp's barriers: what they accept, what they refuse, and that a refused text
   leaves the value unchanged. */
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "core/env/env_parse_kmp.h"

/* The levels that are given as LEVEL:NUMBER@OFFSET, with `a` for all; `:`, `?` and `~` in front: absolute, another
   level, attributes. */
static void show(const struct ghcomp_hw_subset *subset, char *text)
{
    static const char names[] = "snlct";
    text += sprintf(text, "%s%s%s", subset->absolute ? ":" : "", subset->other ? "?" : "",
                    subset->attributes ? "~" : "");
    for (int level = 0; level < GHCOMP_HW_LEVELS; level++)
        if (subset->levels[level].given && subset->levels[level].number == UINT32_MAX)
            text += sprintf(text, "%ca@%u ", names[level], subset->levels[level].offset);
        else if (subset->levels[level].given)
            text += sprintf(text, "%c%u@%u ", names[level], subset->levels[level].number, subset->levels[level].offset);
}

static void subsets(void)
{
    static const char *const good[][2] = {
        {"1c", "c1@0 "}, {" 2S , 4 cores@1 x1T ", "s2@0 c4@1 t1@0 "}, {"1c,1s", "s1@0 c1@0 "}, {"*c@1", "ca@1 "},
        {"c", "ca@0 "}, {"core", "ca@0 "}, {"3", "s3@0 "}, {"1,2c", "s1@0 c2@0 "}, {"*", "sa@0 "},
        {":4c", ":c4@0 "}, {": 1t@3", ":t1@3 "}, {"1numa", "n1@0 "}, {"2nodes", "n2@0 "}, {"1numa_domains", "n1@0 "},
        {"1l3", "l1@0 "}, {"1L3_caches", "l1@0 "}, {"1ll", "l1@0 "}, {"1soc", "s1@0 "}, {"1sockets", "s1@0 "},
        {"1cX2t", "c1@0 t2@0 "}, {"4c:intel_core", "~c4@0 "}, {"4c@2:EFF12,1t", "~c4@2 t1@0 "},
        {"4c:intel_atom:eff0", "~c4@0 "}, {"1die", "?"}, {"1d,2c", "?c2@0 "}, {"1l2_cache,1module,1tile", "?"},
        {"1l1", "?"}, {"1p", "?"}, {"99999c@99999", "c99999@99999 "}};
    static const char *const bad[] = {
        "", " ", ":", ",", "x", "1c,", ",1c", "1cx", "0c", "1c@", "1c@x", "@1", "1c@-1", "-1c", "+1c", "1c,1c",
        "1c,2cores", "banana", "1q", "1cc", "1c1t", "1c 1t", "1c;1t", "1l", "1ls", "1l4", "1cores_", "1coress",
        "1t:eff0", "1c:", "1c:eff", "1c:effx", "1c:foo", "1c:eff0&1c:eff1", "**c", "1*c", "100000c",
        "99999999999999999999c", "1c@100000", "::1c", "\xff", "1\xff", "1c\n1t", "1c@1@1"};
    struct ghcomp_hw_subset subset;
    char text[256];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        memset(&subset, 0x55, sizeof subset);
        CHECK(ghcomp_env_parse_hw_subset(good[i][0], &subset));
        *text = '\0';
        show(&subset, text);
        if (strcmp(text, good[i][1]) != 0)
            fprintf(stderr, "'%s' is '%s', not '%s'\n", good[i][0], text, good[i][1]);
        CHECK(strcmp(text, good[i][1]) == 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ghcomp_hw_subset before;
        memset(&subset, 0x55, sizeof subset);
        before = subset;
        if (ghcomp_env_parse_hw_subset(bad[i], &subset))
            fprintf(stderr, "'%s' is accepted\n", bad[i]);
        CHECK(memcmp(&subset, &before, sizeof subset) == 0);
    }
}

static void pairs(void)
{
    enum { L = GHCOMP_PATTERN_LINEAR, T = GHCOMP_PATTERN_TREE, H = GHCOMP_PATTERN_HYPER,
           I = GHCOMP_PATTERN_HIERARCHICAL, D = GHCOMP_PATTERN_DIST, REFUSED = 99 };
    static const struct {
        bool patterns;
        const char *text;
        int gather, release; /* REFUSED */
    } cases[] = {
        {true, "linear", L, H}, {true, " TREE , Hyper ", T, H}, {true, "hyper,hyper", H, H},
        {true, "hier,linear", I, L}, {true, "hierarchical,tree", I, T}, {true, "dist", D, D},
        {true, "dist,hyper", D, D}, {true, "linear,dist", D, D}, {true, "", REFUSED, 0}, {true, ",hyper", REFUSED, 0},
        {true, "hyper,", REFUSED, 0}, {true, "hyper,banana", REFUSED, 0}, {true, "linear,tree,dist", REFUSED, 0},
        {true, "1", REFUSED, 0}, {true, "hype", REFUSED, 0}, {true, "linear tree", REFUSED, 0},
        {true, "linear;tree", REFUSED, 0}, {false, "0", 0, H}, {false, "31,0", 31, 0}, {false, " 2 , 3 ", 2, 3},
        {false, "", REFUSED, 0}, {false, "32", REFUSED, 0}, {false, "2,32", REFUSED, 0}, {false, "-1", REFUSED, 0},
        {false, "2,", REFUSED, 0}, {false, ",2", REFUSED, 0}, {false, "2,banana", REFUSED, 0},
        {false, "2,3,4", REFUSED, 0}, {false, "2 3", REFUSED, 0}, {false, "0x2", REFUSED, 0},
        {false, "99999999999999999999", REFUSED, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_kmp_pair pair = {.gather = 77, .release = GHCOMP_PATTERN_HYPER};
        bool accepted = cases[i].patterns ? ghcomp_env_parse_kmp_patterns(cases[i].text, &pair)
                                          : ghcomp_env_parse_kmp_branches(cases[i].text, &pair);
        if (accepted != (cases[i].gather != REFUSED))
            fprintf(stderr, "'%s'\n", cases[i].text);
        CHECK_EQUAL(cases[i].gather != REFUSED, accepted);
        CHECK_EQUAL(accepted, pair.given);
        CHECK_EQUAL(accepted ? cases[i].gather : 77, pair.gather);
        CHECK_EQUAL(accepted ? cases[i].release : GHCOMP_PATTERN_HYPER, pair.release);
    }
}

int main(void)
{
    subsets();
    pairs();
    return 0;
}
