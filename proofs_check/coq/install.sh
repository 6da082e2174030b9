#!/bin/sh
# Install Coq and the libraries that the proofs need, or say what to install. `make coq` calls this.
set -eu
packages="coq libcoq-coquelicot libcoq-interval ocaml-nox libzarith-ocaml-dev ocaml-findlib"

complete() {
  command -v coqc >/dev/null && command -v coq_makefile >/dev/null || return 1
  ocamlfind query zarith >/dev/null 2>&1 || return 1
  libraries=$(coqc -where)/user-contrib
  [ -d "$libraries/Coquelicot" ] && [ -d "$libraries/Interval" ]
}

if complete; then
  coqc --version
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update --quiet
  # shellcheck disable=SC2086  # a list of packages
  DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends $packages
  complete && coqc --version && exit 0
fi
{
  echo "Coq or one of its libraries is missing. On Debian or Ubuntu, run as root:"
  echo "  apt-get install $packages"
  echo "Elsewhere, with opam: opam install coq.8.16.1 coq-coquelicot coq-interval zarith ocamlfind"
} >&2
exit 1
