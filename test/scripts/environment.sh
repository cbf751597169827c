#!/bin/sh
# The settings' table from outside: docs/reference/environment.md is up to date; a bad value of every variable is
# reported with the value used instead, and affects no other setting; aliases and _ALL forms apply where they should.
# limit: 60
set -eu

build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "$1" >&2
    failures=$((failures + 1))
}

"$build/tools/envdoc" > "$work/environment.md"
cmp -s "$work/environment.md" docs/reference/environment.md ||
    fail "docs/reference/environment.md is stale: run \`make gen\`"

cat > "$work/show.c" <<'C'
#include <omp.h>
int main(void) { return omp_get_max_threads() < 1; }
C
gcc -fopenmp "$work/show.c" -o "$work/show"

# Runs the program with the variables given; its stderr goes to $work/err.
run() {
    if ! env "LD_LIBRARY_PATH=$build/dropin" GHCOMP_HOST=posix "$@" "$work/show" 2> "$work/err"; then
        fail "the program fails with $*"
    fi
}

# warns NAME VALUE TEXT: exactly one line, this one.
warned=
warns() {
    warned="$warned $1 "
    run "$1=$2"
    printf 'ghc-openmp: warning: %s\n' "$3" > "$work/expected"
    cmp -s "$work/expected" "$work/err" || fail "$1='$2' says: $(cat "$work/err")
instead of: $(cat "$work/expected")"
}

# gives LINE VARIABLE...: the verbose display has the line, of the host unless it names a device.
gives() {
    case $1 in
    \[*) line=$1 ;;
    *) line="[host] $1" ;;
    esac
    shift
    run OMP_DISPLAY_ENV=verbose "$@"
    grep -qFx "  $line" "$work/err" || fail "$* does not give $line: $(cat "$work/err")"
}

positive='a positive integer'
natural='an integer that is not negative'
truth='true or false'
default='using the default,'
threads='a list of positive integers, separated by commas'

warns OMP_DYNAMIC 2 "OMP_DYNAMIC='2' is not $truth; $default false"
warns OMP_NESTED maybe "OMP_NESTED='maybe' is not $truth; $default false"
warns OMP_NUM_THREADS 4,0 "OMP_NUM_THREADS='4,0' is not $threads; $default one thread for each usable CPU"
warns OMP_NUM_THREADS '' "OMP_NUM_THREADS='' is not $threads; $default one thread for each usable CPU"
warns OMP_NUM_THREADS 99999999999999999999 \
    "OMP_NUM_THREADS='99999999999999999999' is not $threads; $default one thread for each usable CPU"
warns OMP_SCHEDULE dynamic,x \
    "OMP_SCHEDULE='dynamic,x' is not [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk]; $default dynamic,1"
warns OMP_PROC_BIND true,close \
    "OMP_PROC_BIND='true,close' is not true, false, or a list of primary, master, close, spread; \
$default false; true when OMP_PLACES or GOMP_CPU_AFFINITY is set"
size='a size of at least 16k, with suffix B, K, M, G or T (also KB and so on); none means K'
warns OMP_STACKSIZE 1 "OMP_STACKSIZE='1' is not $size; $default the system's (ulimit -s)"
warns GOMP_STACKSIZE 64KBB "GOMP_STACKSIZE='64KBB' is not $size; $default the system's (ulimit -s)"
warns OMP_WAIT_POLICY busy \
    "OMP_WAIT_POLICY='busy' is not active or passive; $default spin for a short time, then sleep"
warns OMP_THREAD_LIMIT 0 "OMP_THREAD_LIMIT='0' is not $positive; $default no limit"
warns OMP_MAX_ACTIVE_LEVELS -1 "OMP_MAX_ACTIVE_LEVELS='-1' is not $natural; \
$default 1; 255 when OMP_NUM_THREADS or OMP_PROC_BIND has several levels"
warns OMP_NUM_TEAMS 0 "OMP_NUM_TEAMS='0' is not $positive; $default 0, which stands for unset"
warns OMP_TEAMS_THREAD_LIMIT x "OMP_TEAMS_THREAD_LIMIT='x' is not $positive; $default 0, which stands for unset"
warns OMP_THREADS_RESERVE 'structured(2),free' "OMP_THREADS_RESERVE='structured(2),free' is not an integer that is not \
negative, or structured(n), free_agent(n) or both, separated by a comma; one of the words alone stands for all \
threads; $default structured(1),free_agent(0)"
warns OMP_CANCELLATION oui "OMP_CANCELLATION='oui' is not $truth; $default false"
warns OMP_DEFAULT_DEVICE gpu "OMP_DEFAULT_DEVICE='gpu' is not $natural; \
$default 0; -4, no device, when OMP_TARGET_OFFLOAD is mandatory"
warns OMP_AVAILABLE_DEVICES 'kind(host)' "OMP_AVAILABLE_DEVICES='kind(host)' is not a list of * and of traits of \
devices (kind, isa, arch, vendor, uid), such as kind(gpu)[:2],*; $default *"
warns OMP_MAX_TASK_PRIORITY 2147483648 "OMP_MAX_TASK_PRIORITY='2147483648' is not $natural; $default 0"
warns OMP_DISPLAY_AFFINITY verbose "OMP_DISPLAY_AFFINITY='verbose' is not $truth; $default false"
allocators="the name of a predefined allocator, such as omp_high_bw_mem_alloc, or a memory space, which may have \
traits: omp_default_mem_space:alignment=64,pool_size=1048576,fallback=null_fb"
# Three messages that GCC's own tests know, with more behind them.
compat() {
    warned="$warned OMP_ALLOCATOR "
    run "OMP_ALLOCATOR=$1"
    printf '\nlibgomp: %s\n' "$2" > "$work/expected"
    cmp -s "$work/expected" "$work/err" || fail "OMP_ALLOCATOR='$1' says: $(cat "$work/err")
instead of: $(cat "$work/expected")"
}
takes="it takes $allocators; using omp_default_mem_alloc"
for value in omp_default_mem_space: omp_default_mem_space:access=all, omp_const_mem_space:alignment=3,pinned= ''; do
    compat "$value" "Missing value at the end of environment variable OMP_ALLOCATOR=$value; $takes"
done
invalid='Invalid value for environment variable OMP_ALLOCATOR when parsing:'
compat omp_null_allocator "$invalid omp_null_allocator; $takes"
compat omp_const_mem_space:pinned=maybe,access=all "$invalid maybe,access=all; $takes"
compat omp_low_lat_mem_space:fb_data=1 "$invalid fb_data=1; $takes"
compat omp_default_mem_alloc:pinned=true "$invalid :pinned=true; $takes"
compat omp_default_mem_space:pool_size=0 "$invalid 0; $takes"
compat omp_default_mem_space:alignment=24 "Allocator of environment variable OMP_ALLOCATOR cannot be created, \
using omp_default_mem_alloc instead; an alignment is a power of two, not as in 'omp_default_mem_space:alignment=24'"
run OMP_ALLOCATOR=omp_default_mem_space:alignment=24 OMP_ALLOCATOR_ALL=omp_const_mem_alloc
grep -q 'cannot be created, using OMP_ALLOCATOR_ALL instead;' "$work/err" || fail "OMP_ALLOCATOR_ALL is not named"
warns OMP_TARGET_OFFLOAD never "OMP_TARGET_OFFLOAD='never' is not default, mandatory or disabled; $default default"
warns OMP_DISPLAY_ENV 2 "OMP_DISPLAY_ENV='2' is not true, false or verbose; $default false"
warns GOMP_SPINCOUNT 7kb "GOMP_SPINCOUNT='7kb' is not $natural, with suffix k, M, G or T; infinite or infinity; \
$default what OMP_WAIT_POLICY says"
warns GOMP_DEBUG yes "GOMP_DEBUG='yes' is not $natural; $default 0"
warns GHCOMP_CPU_QUOTA no "GHCOMP_CPU_QUOTA='no' is not honour or ignore; $default honour"
warns GHCOMP_SHARE some "GHCOMP_SHARE='some' is not auto, sticky or all; $default auto"
warns GHCOMP_ADMISSION on "GHCOMP_ADMISSION='on' is not wait or off; $default wait"
warns GHCOMP_FAVOUR openmp "GHCOMP_FAVOUR='openmp' is not fair or haskell; $default fair"
warns GHCOMP_COLLECTOR_THREADS 1 "GHCOMP_COLLECTOR_THREADS='1' is not adapt or keep; $default adapt"
warns OMP_TOOL off "OMP_TOOL='off' is not enabled or disabled; no tool runs"
warns OMP_TOOL_LIBRARIES /nowhere.so "OMP_TOOL_LIBRARIES: no tool runs (/nowhere.so: cannot open shared object file: \
No such file or directory)"
warns OMP_TOOL_VERBOSE_INIT /no/where \
    "OMP_TOOL_VERBOSE_INIT: /no/where cannot be written (No such file or directory); nothing is logged"
warns GHCOMP_TRACE 1 "GHCOMP_TRACE='1' is not on or off; $default on"
warns GHCOMP_TSAN on "GHCOMP_TSAN='on' is not auto or off; $default auto"
barriers='auto, flat, centralized or tree'
warns GHCOMP_BARRIER hyper "GHCOMP_BARRIER='hyper' is not $barriers; $default auto"
warns GOMP_BARRIER_TYPE 4 "GOMP_BARRIER_TYPE='4' is not $barriers; $default auto"
branches='one or two numbers from 0 to 31, separated by a comma'
patterns='one or two of linear, tree, hyper, hier and dist, separated by a comma'
for of in FORKJOIN PLAIN REDUCTION; do
    warns "KMP_${of}_BARRIER" 2,32 "KMP_${of}_BARRIER='2,32' is not $branches; $default unset"
    warns "KMP_${of}_BARRIER_PATTERN" hyper,ring \
        "KMP_${of}_BARRIER_PATTERN='hyper,ring' is not $patterns; $default what GHCOMP_BARRIER says"
done
subsets='a list of parts such as 2s,4c@1,1t: a number or *, a level (socket, numa_domain, l3_cache, core, thread), @ and
an offset'
subsets=$(echo $subsets)
warns KMP_HW_SUBSET 0c "KMP_HW_SUBSET='0c' is not $subsets; $default all CPUs"
warns KMP_PLACE_THREADS 1q "KMP_PLACE_THREADS='1q' is not $subsets; $default all CPUs"
warns KMP_HW_SUBSET 99999c "KMP_HW_SUBSET='99999c': this machine, or the process's part of it, has fewer of them; \
using all CPUs"
warns KMP_HW_SUBSET 1c,1die "KMP_HW_SUBSET='1c,1die': this runtime does not know one of its levels; using all CPUs"
warns KMP_HW_SUBSET :1c:eff0 "KMP_HW_SUBSET=':1c:eff0': kinds of cores are not looked at; using the first cores, of \
any kind"
kmp_truth='true, 1, yes, on or false, 0, no, off'
kmp_types="a type, none, disabled, compact, scatter, balanced or explicit, with modifiers such as verbose, \
granularity=core and proclist=[0,2-4,{6,7}] and a permutation and an offset behind it, separated by commas"
warns KMP_AFFINITY explicit "KMP_AFFINITY='explicit' is not $kmp_types; $default what OMP_PROC_BIND and OMP_PLACES say"
warns KMP_AFFINITY 'proclist=[8191]' "KMP_AFFINITY='proclist=[8191]': none of its places has a CPU that this process \
may use; $default what OMP_PROC_BIND and OMP_PLACES say"
warns KMP_BLOCKTIME 3s "KMP_BLOCKTIME='3s' is not $natural, with suffix us or ms (none means ms); infinite or \
infinity; $default what GOMP_SPINCOUNT and OMP_WAIT_POLICY say"
warns KMP_LIBRARY parallel \
    "KMP_LIBRARY='parallel' is not serial, turnaround or throughput; $default throughput"
warns KMP_STACKSIZE 16 "KMP_STACKSIZE='16' is not ${size%K}B; $default what OMP_STACKSIZE says"
unset='0, which stands for unset'
warns KMP_DEVICE_THREAD_LIMIT some "KMP_DEVICE_THREAD_LIMIT='some' is not $positive or all; $default $unset"
warns KMP_ALL_THREADS 0 "KMP_ALL_THREADS='0' is not $positive or all; $default $unset"
warns KMP_TEAMS_THREAD_LIMIT all "KMP_TEAMS_THREAD_LIMIT='all' is not $positive; $default $unset"
warns KMP_FORCE_REDUCTION yes \
    "KMP_FORCE_REDUCTION='yes' is not critical, atomic or tree; $default chosen for each reduction"
warns KMP_DETERMINISTIC_REDUCTION 2 "KMP_DETERMINISTIC_REDUCTION='2' is not $kmp_truth; $default false"
warns KMP_ENABLE_TASK_THROTTLING 2 "KMP_ENABLE_TASK_THROTTLING='2' is not $kmp_truth; $default true"
warns KMP_TEAMS_PROC_BIND yes \
    "KMP_TEAMS_PROC_BIND='yes' is not spread, close, primary, master, true or false; $default spread"
warns KMP_TASKLOOP_MIN_TASKS -1 \
    "KMP_TASKLOOP_MIN_TASKS='-1' is not $natural; $default 0, which stands for twice the team's size"
warns KMP_SETTINGS 2 "KMP_SETTINGS='2' is not $kmp_truth; $default false"
warns KMP_VERSION 2 "KMP_VERSION='2' is not $kmp_truth; $default false"
warns KMP_WARNINGS 2 "KMP_WARNINGS='2' is not $kmp_truth; $default true"

# No variable is forgotten. Any text is a format; the others are checked where they are used.
unjudged=' OMP_AFFINITY_FORMAT OMP_PLACES GOMP_CPU_AFFINITY GHCOMP_HOST '
sed -n 's/^## \([A-Z]*_[A-Z_]*\)$/\1/p' docs/reference/environment.md > "$work/names"
while read -r name; do
    case "$warned$unjudged" in
    *" $name "*) ;;
    *) fail "no bad value of $name is tested" ;;
    esac
done < "$work/names"

# A bad value affects no other setting.
gives "OMP_THREAD_LIMIT = '9'" OMP_NUM_THREADS=x OMP_THREAD_LIMIT=9 OMP_DYNAMIC=2
[ "$(grep -c '^ghc-openmp: warning: ' "$work/err")" = 2 ] || fail "two bad values are not two warnings"

# Other names of a setting.
gives "OMP_STACKSIZE = '2097152'" GOMP_STACKSIZE=2M
gives "OMP_STACKSIZE = '67108864'" OMP_STACKSIZE=64MB
gives "KMP_STACKSIZE = '524288'" KMP_STACKSIZE=512kb
gives "OMP_STACKSIZE = '1048576'" GOMP_STACKSIZE=2M OMP_STACKSIZE=1M
gives "GOMP_STACKSIZE = '2097152'" GOMP_STACKSIZE=2M OMP_STACKSIZE=none
grep -q "OMP_STACKSIZE='none' .*; using GOMP_STACKSIZE$" "$work/err" || fail "the alias in use is not named"
gives "OMP_NUM_THREADS = '5'" OMP_NUM_THREADS_ALL=5
gives "OMP_NUM_THREADS = '6'" OMP_NUM_THREADS_ALL=5 OMP_NUM_THREADS=6
gives "OMP_NUM_THREADS = '5'" OMP_NUM_THREADS_ALL=5 OMP_NUM_THREADS_DEV=7 OMP_NUM_THREADS_DEV_0=8
gives "[all] OMP_CANCELLATION = 'FALSE'" OMP_CANCELLATION_ALL=true

# The values for devices: kept for the display and checked as the host's are.
gives "[all] OMP_NUM_THREADS = '3,2'" OMP_NUM_THREADS_ALL=3,2 OMP_NUM_THREADS=5
gives "[device] OMP_NUM_THREADS = '7,8'" OMP_NUM_THREADS_DEV=7,8
gives "[12] OMP_DYNAMIC = 'TRUE'" OMP_DYNAMIC_DEV_12=true
gives "[0] OMP_SCHEDULE = 'STATIC,4'" OMP_SCHEDULE_DEV_0=static,4
gives "[device] OMP_SCHEDULE = 'GUIDED'" OMP_SCHEDULE_DEV=guided,1
gives "[24] OMP_PROC_BIND = 'SPREAD,MASTER'" OMP_PROC_BIND_DEV_24=spread,primary
gives "[all] OMP_STACKSIZE = '44040192'" 'OMP_STACKSIZE_ALL=42 M'
gives "[device] OMP_WAIT_POLICY = 'ACTIVE'" OMP_WAIT_POLICY_DEV=active
gives "[2147483647] OMP_THREAD_LIMIT = '9'" OMP_THREAD_LIMIT_DEV_2147483647=9
gives "[1] OMP_MAX_ACTIVE_LEVELS = '3'" OMP_MAX_ACTIVE_LEVELS_DEV_1=3
gives "[1] OMP_NUM_TEAMS = '4'" OMP_NUM_TEAMS_DEV_1=4
gives "[device] OMP_TEAMS_THREAD_LIMIT = '4'" OMP_TEAMS_THREAD_LIMIT_DEV=4
run OMP_DISPLAY_ENV=true OMP_NUM_TEAMS=6 OMP_NUM_TEAMS_DEV_2=5 OMP_NUM_TEAMS_DEV=4 OMP_NUM_TEAMS_DEV_1=3 \
    OMP_NUM_TEAMS_ALL=2
[ "$(sed -n "s/  \[\(.*\)\] OMP_NUM_TEAMS = '\(.*\)'/\1=\2/p" "$work/err" | tr '\n' ' ')" = \
    'host=6 all=2 device=4 2=5 1=3 ' ] || fail "the values for devices are in another order: $(cat "$work/err")"
ignored() {
    run "$1=$2"
    [ "$(cat "$work/err")" = "ghc-openmp: warning: $3; it is ignored" ] || fail "$1='$2' says: $(cat "$work/err")"
}
ignored OMP_NUM_TEAMS_DEV 0 "OMP_NUM_TEAMS_DEV='0' is not $positive"
ignored OMP_STACKSIZE_DEV_3 64BB "OMP_STACKSIZE_DEV_3='64BB' is not $size"
run OMP_NUM_TEAMS_ALL=x OMP_NUM_TEAMS=5
[ "$(cat "$work/err")" = "ghc-openmp: warning: OMP_NUM_TEAMS_ALL='x' is not $positive; it is ignored" ] ||
    fail "a bad _ALL beside a good value says: $(cat "$work/err")"
for number in '' x 01 -1 1x 2147483648 99999999999; do
    ignored "OMP_NUM_TEAMS_DEV_$number" 3 "OMP_NUM_TEAMS_DEV_$number: '$number' is not the number of a device"
done

# A device is mandatory and none is named: there is no default device.
gives "[all] OMP_DEFAULT_DEVICE = '-4'" OMP_TARGET_OFFLOAD=mandatory
gives "[all] OMP_DEFAULT_DEVICE = '0'" OMP_TARGET_OFFLOAD=mandatory OMP_DEFAULT_DEVICE=0
gives "[all] OMP_DEFAULT_DEVICE = '0'" OMP_TARGET_OFFLOAD=disabled

# The barrier: a tree when the default team has 128 threads or more (on 16 CPUs and more, 32), unless the user chooses
# otherwise, explicitly or by unbounded spinning.
barrier() {
    kind=$1
    shift
    gives "GHCOMP_BARRIER = '$kind'" "$@"
    gives "GOMP_BARRIER_TYPE = '$kind'" "$@"
}
barrier FLAT OMP_NUM_THREADS=31
barrier TREE OMP_NUM_THREADS=128
barrier TREE OMP_NUM_THREADS=200,2
barrier FLAT OMP_NUM_THREADS=2,200
barrier FLAT OMP_NUM_THREADS=200 OMP_THREAD_LIMIT=31
barrier TREE OMP_NUM_THREADS=200 OMP_THREAD_LIMIT=128
barrier FLAT OMP_NUM_THREADS=200 OMP_WAIT_POLICY=active
barrier TREE OMP_NUM_THREADS=200 OMP_WAIT_POLICY=passive
barrier FLAT OMP_NUM_THREADS=200 GOMP_SPINCOUNT=infinite
barrier TREE OMP_NUM_THREADS=200 GOMP_SPINCOUNT=100
barrier FLAT OMP_NUM_THREADS=200 GHCOMP_BARRIER=flat
barrier FLAT OMP_NUM_THREADS=200 GOMP_BARRIER_TYPE=centralized
barrier FLAT OMP_NUM_THREADS=200 GOMP_BARRIER_TYPE=flat
barrier TREE OMP_NUM_THREADS=200 GHCOMP_BARRIER=auto GOMP_BARRIER_TYPE=flat
barrier TREE OMP_NUM_THREADS=2 GHCOMP_BARRIER=tree OMP_WAIT_POLICY=active
barrier TREE OMP_NUM_THREADS=2 GOMP_BARRIER_TYPE=Tree
barrier FLAT OMP_NUM_THREADS=2 GHCOMP_BARRIER=auto
barrier TREE OMP_NUM_THREADS=2 GHCOMP_BARRIER=none GOMP_BARRIER_TYPE=tree

# libomp's words for barriers: each exception that LLVM's pull request 195473 makes for its distributed barrier.
barrier TREE OMP_NUM_THREADS=2 KMP_FORKJOIN_BARRIER_PATTERN=hyper,hyper
barrier FLAT OMP_NUM_THREADS=200 KMP_FORKJOIN_BARRIER_PATTERN=linear,linear
barrier TREE OMP_NUM_THREADS=2 KMP_FORKJOIN_BARRIER_PATTERN=linear
barrier TREE OMP_NUM_THREADS=2 KMP_PLAIN_BARRIER_PATTERN=tree,tree OMP_WAIT_POLICY=active
barrier TREE OMP_NUM_THREADS=2 KMP_REDUCTION_BARRIER_PATTERN=dist
barrier FLAT OMP_NUM_THREADS=200 KMP_REDUCTION_BARRIER_PATTERN=linear,linear
barrier FLAT OMP_NUM_THREADS=200 KMP_FORKJOIN_BARRIER_PATTERN=linear,linear KMP_PLAIN_BARRIER_PATTERN=dist,dist
barrier TREE OMP_NUM_THREADS=2 KMP_PLAIN_BARRIER_PATTERN=dist,dist KMP_REDUCTION_BARRIER_PATTERN=linear,linear
barrier FLAT OMP_NUM_THREADS=2 KMP_FORKJOIN_BARRIER_PATTERN=dist,dist GHCOMP_BARRIER=flat
barrier TREE OMP_NUM_THREADS=200 KMP_FORKJOIN_BARRIER_PATTERN=ring
for of in FORKJOIN PLAIN REDUCTION; do
    barrier FLAT OMP_NUM_THREADS=200 "KMP_${of}_BARRIER=2,2"
    barrier TREE OMP_NUM_THREADS=200 "KMP_${of}_BARRIER=2,2" "KMP_${of}_BARRIER_PATTERN=hyper,hyper"
done
barrier TREE OMP_NUM_THREADS=200 KMP_HW_SUBSET=:1t
barrier FLAT KMP_HW_SUBSET=:1t
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'dist,dist'" OMP_NUM_THREADS=200
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'linear,linear'" OMP_NUM_THREADS=8
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'linear,linear'" OMP_NUM_THREADS=200 OMP_WAIT_POLICY=active
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'linear,linear'" OMP_THREAD_LIMIT=31 OMP_NUM_THREADS=200
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'hyper,hyper'" OMP_NUM_THREADS=200 KMP_FORKJOIN_BARRIER_PATTERN=hyper,hyper
gives "KMP_FORKJOIN_BARRIER_PATTERN = 'dist,dist'" KMP_FORKJOIN_BARRIER_PATTERN=dist,hyper
gives "KMP_PLAIN_BARRIER = '3,2'" KMP_PLAIN_BARRIER=3

# The part of the machine. The default team is that of the CPUs and of a quota.
run OMP_DISPLAY_ENV=true
all=$(sed -n "s/^  \[host\] OMP_NUM_THREADS = '\(.*\)'$/\1/p" "$work/err")
gives "OMP_NUM_THREADS = '1'" KMP_HW_SUBSET=:1t
gives "OMP_NUM_THREADS = '1'" KMP_PLACE_THREADS=:1t
gives "OMP_NUM_THREADS = '3'" KMP_HW_SUBSET=:1t OMP_NUM_THREADS=3
gives "OMP_NUM_THREADS = '$all'" KMP_HW_SUBSET=:1t KMP_AFFINITY=disabled
gives "OMP_NUM_THREADS = '$all'" KMP_HW_SUBSET=1s,1die
gives "KMP_HW_SUBSET = ':1t@0'" KMP_HW_SUBSET=:1t@0 KMP_PLACE_THREADS=1q

# libomp's variables count where they and others set the same; the others of libomp's share one line.
gives "KMP_BLOCKTIME = '200ms'" KMP_BLOCKTIME=200 OMP_WAIT_POLICY=passive
gives "KMP_BLOCKTIME = '3us'" KMP_BLOCKTIME=3us GOMP_SPINCOUNT=infinite
gives "KMP_BLOCKTIME = 'INFINITE'" KMP_BLOCKTIME=infinite
barrier FLAT OMP_NUM_THREADS=200 KMP_BLOCKTIME=infinite
barrier TREE OMP_NUM_THREADS=200 KMP_BLOCKTIME=1
gives "OMP_THREAD_LIMIT = '3'" KMP_DEVICE_THREAD_LIMIT=3 OMP_THREAD_LIMIT=9
gives "OMP_THREAD_LIMIT = '3'" KMP_ALL_THREADS=7 OMP_THREAD_LIMIT=3
gives "KMP_DEVICE_THREAD_LIMIT = '$(nproc)'" KMP_ALL_THREADS=all
gives "OMP_THREAD_LIMIT = '1'" KMP_LIBRARY=serial
gives "OMP_WAIT_POLICY = 'ACTIVE'" KMP_LIBRARY=turnaround OMP_WAIT_POLICY=passive
gives "KMP_STACKSIZE = '65536'" KMP_STACKSIZE=65536
gives "OMP_PROC_BIND = 'TRUE'" KMP_AFFINITY=scatter
gives "OMP_PROC_BIND = 'FALSE'" KMP_AFFINITY=none OMP_PROC_BIND=close OMP_PLACES=cores
grep -q 'warning: OMP_PROC_BIND is not used, because KMP_AFFINITY is set, too$' "$work/err" ||
    fail "no word on OMP_PROC_BIND"
gives "OMP_PROC_BIND = 'CLOSE'" KMP_AFFINITY=verbose OMP_PROC_BIND=close
gives "KMP_AFFINITY = 'verbose,granularity=thread,compact,1,2'" KMP_AFFINITY=granularity=fine,verbose,compact,1,2
gives "KMP_LIBRARY = 'TURNAROUND'" KMP_LIBRARY=dedicated
gives "OMP_WAIT_POLICY = 'ACTIVE'" KMP_LIBRARY=dedicated
gives "KMP_LIBRARY = 'THROUGHPUT'" KMP_LIBRARY=multiuser
gives "OMP_PROC_BIND = 'TRUE'" OMP_PROC_BIND=1
gives "OMP_PROC_BIND = 'FALSE'" OMP_PROC_BIND=0 OMP_PLACES=cores
gives "OMP_PROC_BIND = 'FALSE'" OMP_PROC_BIND=disabled OMP_PLACES=cores
warns OMP_PROC_BIND 1,close \
    "OMP_PROC_BIND='1,close' is not true, false, or a list of primary, master, close, spread; \
$default false; true when OMP_PLACES or GOMP_CPU_AFFINITY is set"
gives "KMP_TEAMS_PROC_BIND = 'SPREAD'" KMP_TEAMS_PROC_BIND=true
gives "KMP_TEAMS_PROC_BIND = 'PRIMARY'" KMP_TEAMS_PROC_BIND=false
gives "KMP_FORCE_REDUCTION = 'TREE'" KMP_FORCE_REDUCTION=tree
run KMP_HOT_TEAMS_MODE=1 KMP_DUPLICATE_LIB_OK=TRUE KMP_INIT_AT_FORK=FALSE
[ "$(cat "$work/err")" = "ghc-openmp: warning: KMP_HOT_TEAMS_MODE: such a variable of libomp's has no effect here" ] ||
    fail "KMP_HOT_TEAMS_MODE says: $(cat "$work/err")"
run KMP_ONE=1 KMP_TWO=2
[ "$(wc -l < "$work/err")" = 1 ] || fail "two unknown variables of libomp's say: $(cat "$work/err")"
run KMP_WARNINGS=off KMP_ONE=1 OMP_NUM_THREADS=x KMP_BLOCKTIME=x
[ ! -s "$work/err" ] || fail "KMP_WARNINGS=off says: $(cat "$work/err")"
run KMP_SETTINGS=1 OMP_NUM_THREADS=5
for line in 'User settings:' '   OMP_NUM_THREADS=5' 'Effective settings:' \
    "   OMP_NUM_THREADS='5'" "   KMP_SETTINGS='TRUE'"; do
    grep -qFx "$line" "$work/err" || fail "KMP_SETTINGS does not print $line: $(cat "$work/err")"
done
run KMP_SETTINGS=1
grep -qFx "   OMP_AVAILABLE_DEVICES='*'" "$work/err" ||
    fail "KMP_SETTINGS does not print all devices: $(cat "$work/err")"
run KMP_SETTINGS=1 'OMP_AVAILABLE_DEVICES=kind(gpu)'
grep -qFx "   OMP_AVAILABLE_DEVICES='A SELECTION'" "$work/err" ||
    fail "KMP_SETTINGS does not print selected devices: $(cat "$work/err")"
# Texts from outside: without control characters, and in full.
gives "OMP_AFFINITY_FORMAT = 'a\\x1b[2Jb\\x0a.'" "OMP_AFFINITY_FORMAT=$(printf 'a\033[2Jb\n.')"
long=$(printf '/%0398d' 1)é # the last character is in two parts of the printer's
gives "[all] OMP_TOOL_LIBRARIES = '$long'" OMP_TOOL=disabled "OMP_TOOL_LIBRARIES=$long"
run KMP_VERSION=1
grep -q '^ghc-openmp: version [0-9.]*, OpenMP [0-9]*$' "$work/err" || fail "KMP_VERSION says: $(cat "$work/err")"

for value in 1 yes on .true.; do
    run "OMP_DISPLAY_ENV=$value"
    grep -q '^OPENMP DISPLAY ENVIRONMENT BEGIN$' "$work/err" || fail "OMP_DISPLAY_ENV=$value says: $(cat "$work/err")"
done
for setting in OMP_DISPLAY_ENV=0 OMP_DISPLAY_ENV=off OMP_TOOL=; do
    run "$setting"
    [ ! -s "$work/err" ] || fail "$setting says: $(cat "$work/err")"
done

# Values that depend on each other. libgomp prints the same lines.
gives "OMP_MAX_ACTIVE_LEVELS = '255'" OMP_NUM_THREADS=4,2
gives "OMP_NESTED = 'TRUE'" OMP_PROC_BIND=spread,close
gives "OMP_MAX_ACTIVE_LEVELS = '1'" OMP_NUM_THREADS=4,2 OMP_NESTED=false
gives "OMP_MAX_ACTIVE_LEVELS = '7'" OMP_NUM_THREADS=4,2 OMP_NESTED=false OMP_MAX_ACTIVE_LEVELS=7
gives "OMP_MAX_ACTIVE_LEVELS = '255'" OMP_MAX_ACTIVE_LEVELS=1000
gives "OMP_MAX_ACTIVE_LEVELS = '255'" OMP_NESTED=TRUE
gives "OMP_PROC_BIND = 'SPREAD,MASTER'" 'OMP_PROC_BIND= spread , primary '
gives "OMP_THREAD_LIMIT = '4294967295'" OMP_THREAD_LIMIT=4294967294
gives "OMP_SCHEDULE = 'MONOTONIC:DYNAMIC,5'" OMP_SCHEDULE=monotonic:dynamic,5
gives "OMP_SCHEDULE = 'NONMONOTONIC:STATIC'" OMP_SCHEDULE=nonmonotonic:static
gives "OMP_SCHEDULE = 'STATIC,1'" OMP_SCHEDULE=static,1
gives "OMP_SCHEDULE = 'DYNAMIC'" OMP_SCHEDULE=dynamic,1
gives "OMP_SCHEDULE = 'AUTO'" OMP_SCHEDULE=auto,3
gives "OMP_WAIT_POLICY = 'ACTIVE'" OMP_WAIT_POLICY=active
gives "GOMP_SPINCOUNT = '7000'" GOMP_SPINCOUNT=7k OMP_WAIT_POLICY=active
gives "GOMP_SPINCOUNT = '300000'"
gives "GOMP_SPINCOUNT = '30000000000'" OMP_WAIT_POLICY=active
gives "GOMP_SPINCOUNT = '0'" OMP_WAIT_POLICY=passive
gives "OMP_ALLOCATOR = 'omp_thread_mem_alloc'" OMP_ALLOCATOR=OMP_THREAD_MEM_ALLOC
gives "OMP_ALLOCATOR = 'omp_default_mem_alloc'" OMP_ALLOCATOR=none
gives "OMP_ALLOCATOR = 'omp_large_cap_mem_alloc'" 'OMP_ALLOCATOR= omp_large_cap_mem_space '
gives "OMP_ALLOCATOR = 'ompx_gnu_pinned_mem_alloc'" OMP_ALLOCATOR=ompx_gnu_pinned_mem_alloc
gives "OMP_ALLOCATOR = 'omp_high_bw_mem_space:alignment=64,sync_hint=private'" \
    OMP_ALLOCATOR=omp_high_bw_mem_space:alignment=64,sync_hint=private
gives "[all] OMP_TARGET_OFFLOAD = 'MANDATORY'" OMP_TARGET_OFFLOAD=mandatory
gives "OMP_AFFINITY_FORMAT = ' x%n '" 'OMP_AFFINITY_FORMAT= x%n '

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
