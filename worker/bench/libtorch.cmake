# LibTorch, and the C++ that its headers take: C++20 from LibTorch 2 on (later ones refuse less),
# C++17 before. A build under test that carries its own is named by -DCMAKE_PREFIX_PATH=<libtorch>.
find_package(Torch REQUIRED)
if(Torch_VERSION AND Torch_VERSION VERSION_LESS 1.13)
  message(FATAL_ERROR "vigil-bench takes LibTorch 1.13 or later; this is ${Torch_VERSION}")
endif()
if(Torch_VERSION AND Torch_VERSION VERSION_LESS 2)
  set(CMAKE_CXX_STANDARD 17)
else()
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
