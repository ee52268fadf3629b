# SPDX-License-Identifier: Apache-2.0
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH}/prefix ${SCRATCH}/consumer)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${SCRATCH}/consumer -DCMAKE_BUILD_TYPE=Debug
  -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/consumer)
run(${SCRATCH}/prefix/bin/ideal --version)

# The same for a program with an MPI job of its own.
if(MPIRUN)
  file(REMOVE_RECURSE ${SCRATCH}/in_a_job)
  run(${CMAKE_COMMAND} -G Ninja -S ${EXAMPLES}/mpi -B ${SCRATCH}/in_a_job -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/in_a_job)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
  set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
  run(${MPIRUN} -n 4 ${SCRATCH}/in_a_job/ideal_in_a_job)
endif()
