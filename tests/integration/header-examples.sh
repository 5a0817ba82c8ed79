# SPDX-License-Identifier: Apache-2.0
# The examples in the comments of the public headers compile.
exec python3 "$SOURCE/tests/integration/header-examples.py" "$SOURCE" "${CC:-cc}"
