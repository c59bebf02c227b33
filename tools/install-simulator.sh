#!/bin/sh
# Lays the simulator out as an installation of the vendor's toolkit is, so that build files and programs find it where they
# look for the vendor's libraries.
#
#   tools/install-simulator.sh [--headers HEADERS] FOLDER [LIBRARY]
#
#   FOLDER/lib64                             libascendcl.so, under all names that the vendor's libraries have
#   FOLDER/lib64/stub, FOLDER/devlib         the same, where programs are linked with stubs; also under MACHINE and
#                                            linux/MACHINE in there
#   FOLDER/runtime, acllib, fwkacllib, compiler, MACHINE-linux
#                                            lib64 and include once more, as the packages of releases had them
#   FOLDER/share/cmake/ascendcl              a package for find_package(ascendcl)
#   FOLDER/set_env.sh                        sets the variables that the vendor's file of this name sets
#
# LIBRARY is a libascendcl.so that was built already; without it one is built for release. HEADERS is a folder with the
# vendor's headers (the one that holds acl/acl.h); they cannot be part of this project. FOLDER/include leads there.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
headers=
if [ "${1:-}" = --headers ]; then
    headers=$(cd "$2" && pwd)
    shift 2
fi
folder=${1:?"usage: install-simulator.sh [--headers HEADERS] FOLDER [LIBRARY]"}
library=${2:-}
if [ -z "$library" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p ascendcl-sim-dylib
    library=${CARGO_TARGET_DIR:-$root/target}/release/libascendcl.so
fi
# An installation of the vendor's may be there. The simulator has a function that the vendor's files do not have.
for file in libascendcl.so libacl_rt.so; do
    if [ -e "$folder/lib64/$file" ] && ! grep -q ascendcl_sim_has "$folder/lib64/$file"; then
        echo "install-simulator.sh: $folder/lib64/$file is not the simulator: choose another folder" >&2
        exit 1
    fi
done
mkdir -p "$folder/lib64/stub"
# A program may have the old file open, or the name may be a link to another file.
cp "$library" "$folder/lib64/libascendcl.so.new"
mv -f "$folder/lib64/libascendcl.so.new" "$folder/lib64/libascendcl.so"

# The files that the table of functions names, and others that programs link with.
names=$({
    grep -hoE 'lib[a-z_]+\.so' "$root"/sys/src/table/*.rs
    printf '%s\n' libprofapi.so libruntime.so
} | sort -u)
for name in $names; do
    [ "$name" = libascendcl.so ] || ln -sfn libascendcl.so "$folder/lib64/$name"
    ln -sfn "../$name" "$folder/lib64/stub/$name"
done

# Releases have stubs for several kinds of machines.
mkdir -p "$folder/lib64/stub/linux"
ln -sfn . "$folder/lib64/stub/$(uname -m)"
ln -sfn .. "$folder/lib64/stub/linux/$(uname -m)"

ln -sfn lib64/stub "$folder/devlib"
[ -z "$headers" ] || ln -sfn "$headers" "$folder/include"
for package in runtime acllib fwkacllib compiler "$(uname -m)-linux"; do
    mkdir -p "$folder/$package"
    ln -sfn ../lib64 "$folder/$package/lib64"
    ln -sfn ../devlib "$folder/$package/devlib"
    [ -z "$headers" ] || ln -sfn ../include "$folder/$package/include"
done

mkdir -p "$folder/share/cmake/ascendcl"
cp "$root/tools/ascendcl-config.cmake" "$folder/share/cmake/ascendcl/"

home=$(cd "$folder" && pwd)
cat >"$folder/set_env.sh" <<ENV
export ASCEND_TOOLKIT_HOME='$home'
export ASCEND_HOME_PATH='$home'
export LD_LIBRARY_PATH='$home/lib64'"\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
export CMAKE_PREFIX_PATH='$home'"\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}"
ENV
