/* Cases that are a process of their own each, because a process cannot be brought back to its initial state: limits
   that are lowered, a first region, an environment. The parent starts this program again with the case's name as its
   argument, and compares how the child ended and what it wrote with what the case expects. */
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <regex.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

struct hostile_case {
    const char *name;
    void (*run)(void);
    const char *environment; /* "A=b C=d", or NULL */
    int status;              /* its exit status */
    const char *out;         /* all of its standard output, or NULL: anything */
    int only_ours;           /* not run on libgomp */
    const char *err;         /* ours only: a regular expression for the one line on stderr (blank lines aside);
                                NULL: none; "*": anything */
    int more_lines;          /* how many other lines may be there */
};

/* Whether this process runs on our runtime. */
static inline int is_ours(void)
{
    return dlsym(RTLD_DEFAULT, "ghcomp_version") != NULL;
}

/* Whether the deep part is asked for: more rounds. */
static inline int is_deep(void)
{
    const char *deep = getenv("GHCOMP_DEEP");
    return deep != NULL && strcmp(deep, "1") == 0;
}

static inline void add_to_environment(const char *list)
{
    char *copy = strdup(list);
    for (char *item = strtok(copy, " "); item != NULL; item = strtok(NULL, " ")) {
        char *value = strchr(item, '=');
        CHECK(value != NULL);
        *value = '\0';
        setenv(item, value + 1, 1);
    }
    free(copy);
}

static inline void read_all(int file, char *text, size_t size)
{
    ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

/* How many lines are not blank. */
static inline int count_lines(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
        lines += *line != '\n';
    return lines;
}

static inline int matches(const char *pattern, const char *text)
{
    regex_t compiled;
    CHECK(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) == 0);
    int found = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

/* Runs one case in a new process; more: a second argument. What the child wrote and how it ended is printed when it is
   not what the case expects. */
static inline int run_case(const struct hostile_case *is, const char *more)
{
    static char out[1 << 16], err[1 << 16];
    int files[2] = {fileno(tmpfile()), fileno(tmpfile())};
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (is->environment != NULL)
            add_to_environment(is->environment);
        dup2(files[0], STDOUT_FILENO);
        dup2(files[1], STDERR_FILENO);
        close(files[0]);
        close(files[1]);
        execl("/proc/self/exe", "hostile", is->name, more, (char *)NULL);
        _exit(127);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    read_all(files[0], out, sizeof out);
    read_all(files[1], err, sizeof err);
    close(files[0]);
    close(files[1]);
    const char *wrong = NULL;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != is->status)
        wrong = "it ended otherwise than expected";
    else if (is->out != NULL && strcmp(out, is->out) != 0)
        wrong = "its standard output is not what was expected";
    else if (is_ours() && is->err == NULL && err[0] != '\0')
        wrong = "nothing was expected on stderr";
    else if (is_ours() && is->err != NULL && strcmp(is->err, "*") != 0 &&
             (count_lines(err) < 1 || count_lines(err) > 1 + is->more_lines || !matches(is->err, err)))
        wrong = "another line was expected on stderr";
    if (wrong == NULL)
        return 0;
    fprintf(stderr, "%s %s: %s (%s %d, expected exit status %d)\n-- stdout\n%s\n-- stderr\n%s\n", is->name,
            more != NULL ? more : "", wrong, WIFEXITED(status) ? "exit status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), is->status, out, err);
    return 1;
}

/* The case that the program's argument names; NULL: it has none, so it is the parent. */
static inline const struct hostile_case *find_case(int argc, char **argv, const struct hostile_case *cases,
                                                   size_t count)
{
    if (argc < 2)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            return &cases[i];
    fprintf(stderr, "there is no case %s\n", argv[1]);
    exit(2);
}

/* The result of a main that runs each case once. */
static inline int run_cases(int argc, char **argv, const struct hostile_case *cases, size_t count)
{
    const struct hostile_case *is = find_case(argc, argv, cases, count);
    if (is != NULL) {
        is->run();
        return 0;
    }
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        if (cases[i].only_ours && !is_ours())
            continue;
        fprintf(stderr, "%s\n", cases[i].name); /* the last one before a hang */
        bad += run_case(&cases[i], NULL);
    }
    return bad != 0;
}
