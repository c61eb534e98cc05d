#!/bin/sh
# The shell in which npm runs scripts. npm puts node_modules/.bin of every folder above the package on the PATH, and a release
# lies below the folder of the service: its programs are removed here, so that scripts find those of the application only.
clean=
rest=$PATH:
while [ -n "$rest" ]; do
  folder=${rest%%:*}
  rest=${rest#*:}
  case $folder in
    "$MODULE_ROOT"/*) ;;
    */node_modules/.bin)
      # Fetched tools lie in such folders too; the platform names them.
      case :$TOOL_BINS: in *:"$folder":*) ;; *) continue ;; esac
      ;;
  esac
  clean=${clean:+$clean:}$folder
done
PATH=$clean
export PATH
exec sh "$@"
