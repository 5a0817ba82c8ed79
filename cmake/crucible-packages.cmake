# SPDX-License-Identifier: Apache-2.0
# Debian packages (tools/deb): crucible, crucible-dev (to compile plugins), and apart what pulls libraries that most
# do not want: crucible-xgboost, crucible-matlab. What a file links is found by dpkg-shlibdeps; what is loaded only when it is
# asked for cannot be, and is recommended or suggested here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME crucible)
set(CPACK_PACKAGE_VENDOR "The Crucible authors")
set(CPACK_PACKAGE_CONTACT "The Crucible authors <authors@crucible.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "does this learning method still work when the data is bad?")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime dev xgboost matlab)
if(NOT TARGET algorithms-xgb-graph)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL xgboost)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}) # our own library
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME crucible)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "does this learning method still work when the data is bad?
 Datasets, ways to damage them, methods and metrics are plugins, so that any method meets any
 damage under one protocol, from one INI file. Methods run in processes of their own that never
 hold the true test labels; results are kept in one SQLite file.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "liblapacke, libmetis5, libcurl4, libzip4, ca-certificates")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "crucible-dev, crucible-matlab, crucible-xgboost, librsvg2-2, fonts-dejavu-core, libmicrohttpd12")

set(same "crucible (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME crucible-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${same}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "gcc, libc6-dev, pkg-config")
set(CPACK_DEBIAN_DEV_DESCRIPTION "headers, guide and reference for plugins of crucible")
set(CPACK_DEBIAN_XGBOOST_PACKAGE_NAME crucible-xgboost)
set(CPACK_DEBIAN_XGBOOST_PACKAGE_DEPENDS "${same}")
set(CPACK_DEBIAN_XGBOOST_DESCRIPTION "methods of crucible on XGBoost: xgb-graph")
set(CPACK_DEBIAN_MATLAB_PACKAGE_NAME crucible-matlab)
set(CPACK_DEBIAN_MATLAB_PACKAGE_DEPENDS "${same}")
set(CPACK_DEBIAN_MATLAB_DESCRIPTION "readers of crucible for MATLAB files: mat, mat-pll, linkx")
include(CPack)
