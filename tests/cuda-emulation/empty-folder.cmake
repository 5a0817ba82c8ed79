# SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
