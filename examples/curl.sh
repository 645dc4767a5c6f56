#!/bin/sh
# Plain HTTP and JSON: every RPC is a POST to /<service>/<rpc>, with the names of the API description.
#
#   SERVER=unix:/…/server.sock SECRET=… sh examples/curl.sh
#
# With TLS, leave out --unix-socket and put https://host:port in place of http://localhost.
set -eu

call() { # call SERVICE/RPC JSON
  curl --silent --show-error --fail-with-body --unix-socket "${SERVER#unix:}" "http://localhost/agentworks.$1" \
    --header "authorization: Bearer $SECRET" --header 'content-type: application/json' --data "$2"
}

call agents.v1.AgentService/Register '{"agentName": "erin"}' > /dev/null
call agents.v1.AgentService/Register '{"agentName": "frank"}' > /dev/null

# Sent once, however often this line runs with this id.
call messages.v1.MessageService/Send '{
  "agentName": "erin", "target": "agent:frank", "body": "Hello from curl.", "submissionId": "hello-1"
}' > /dev/null

# Reading consumes nothing. With "waitSeconds" it waits for a message; "after" takes the nextCursor of the last page.
page=$(call messages.v1.MessageService/Read '{"agentName": "frank", "waitSeconds": 5}')
case $page in
  *'"body":"Hello from curl."'*) echo "$page" ;;
  *) echo "frank did not get it: $page" && exit 1 ;;
esac

# A refusal is JSON too: a code, a sentence, and in its details the reason.
refusal=$(call messages.v1.MessageService/Send '{"agentName": "erin", "target": "agent:nobody", "body": "x"}' 2> /dev/null) && exit 1
case $refusal in
  *'"code":"not_found"'*) ;;
  *) echo "unexpected: $refusal" && exit 1 ;;
esac
