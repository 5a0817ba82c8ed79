# SPDX-License-Identifier: Apache-2.0
# The examples in the comments of the public headers compile.
command -v python3 >/dev/null || { echo "SKIP: no python3, which takes the examples out"; exit 0; }
exec python3 "$SOURCE/tests/integration/header-examples.py" "$SOURCE" "${CC:-cc}"
