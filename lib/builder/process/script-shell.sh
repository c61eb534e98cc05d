#!/bin/sh
# The shell in which npm runs scripts. npm puts node_modules/.bin of every folder above the package on the PATH, and a release
# lies below the folder of the service: what lies above the release is removed here, so that scripts do not find the programs of
# the service. Those that npm has put elsewhere stay: of npx, and of a dependency from git while it is prepared.
clean=
rest=$PATH:
while [ -n "$rest" ]; do
  folder=${rest%%:*}
  rest=${rest#*:}
  case $folder in
    */node_modules/.bin)
      case $MODULE_ROOT in "${folder%/node_modules/.bin}"/*) continue ;; esac
      ;;
  esac
  clean=${clean:+$clean:}$folder
done
PATH=$clean
export PATH
exec sh "$@"
