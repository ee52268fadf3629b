# SPDX-License-Identifier: Apache-2.0
# Copies the front end from FROM to TO, installs what it is built with, and builds it there into dist/.
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
foreach(step "ci;--prefer-offline;--no-audit;--no-fund" "run;build")
  execute_process(COMMAND ${NPM} ${step} WORKING_DIRECTORY ${TO} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "npm ${step} failed in ${TO}:\n${said}\nIt needs access to the npm registry, or an npm cache filled by an earlier build.")
  endif()
endforeach()
