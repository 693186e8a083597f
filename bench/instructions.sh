#!/usr/bin/env bash
# Instructions per operation of every row, by valgrind: a row run N times and 2N times, the difference divided by N, so that
# setting up does not count. A row set up twice is set up the same way: the library has no clock and no entropy.
#
#   bench/instructions.sh            print
#   bench/instructions.sh --check    compare with bench/instructions.json, exit 1 where one is off by more than 3 %
#   bench/instructions.sh --write    write bench/instructions.json
#   bench/instructions.sh --check p- only the rows whose name contains `p-`
#
# Exits 2 where it cannot judge (no valgrind, no build).
set -euo pipefail
cd "$(dirname "$0")/.."

mode=print
case "${1:-}" in
  --check | --write) mode=${1#--}; shift ;;
  -*) echo "unknown option $1" >&2; exit 2 ;;
esac
filter=${1:-}
[[ $mode == write && -n $filter ]] && { echo "--write takes no filter: the file holds every row" >&2; exit 2; }
baseline=bench/instructions.json
tolerance=3

command -v valgrind >/dev/null || { echo "valgrind is not installed: nothing is counted" >&2; exit 2; }
cargo build --quiet --release -p flyball-bench || exit 2
bench=${CARGO_TARGET_DIR:-target}/release/flyball-bench

# Instructions of a whole run.
collected() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --callgrind-target "$1" --iterations "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
for row in $("$bench" --list); do
  [[ $row == *"$filter"* ]] || continue
  # A compilation is as long as a thousand decisions.
  times=200
  case $row in w-compile | w-lint | airline* | retail*) times=2 ;; esac
  once=$(collected "$row" "$times")
  twice=$(collected "$row" $((2 * times)))
  [[ -n $once && -n $twice ]] || { echo "$row: valgrind gave no count" >&2; exit 2; }
  echo "$row $(((twice - once) / times))" | tee -a "$counted"
done

case $mode in
  write)
    {
      echo '{'
      echo "  \"toolchain\": \"$(rustc --version)\","
      echo "  \"valgrind\": \"$(valgrind --version)\","
      echo '  "instructions": {'
      awk '{ printf "%s    \"%s\": %s", (NR > 1 ? ",\n" : ""), $1, $2 } END { print "" }' "$counted"
      echo '  }'
      echo '}'
    } >"$baseline"
    ;;
  check)
    sed -n 's/^    "\([a-z0-9-]*\)": \([0-9]*\),*$/\1 \2/p' "$baseline" |
      awk -v tolerance=$tolerance '
        NR == FNR { wanted[$1] = $2; next }
        !($1 in wanted) { printf "%s: not in the baseline\n", $1; bad = 1; next }
        {
          off = 100 * ($2 - wanted[$1]) / wanted[$1]
          if (off > tolerance || off < -tolerance) { printf "%s: %d, was %d (%+.1f %%)\n", $1, $2, wanted[$1], off; bad = 1 }
        }
        END { if (!bad) printf "all within %d %%\n", tolerance; exit bad }' - "$counted"
    ;;
esac
