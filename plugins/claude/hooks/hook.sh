# Sourced by each hook command, which sets $event. A chat that is not attached costs one look at a file: until its marker
# is found only words of the shell itself run, nothing is read from the host and nothing is printed. Trouble is silent,
# because whatever a hook prints becomes part of the chat.
session=${CLAUDE_CODE_SESSION_ID-}
case $session in '' | *[!0-9A-Za-z-]*) exit 0 ;; esac
[ -r "$CLAUDE_PLUGIN_ROOT/hooks/installed.sh" ] || exit 0
. "$CLAUDE_PLUGIN_ROOT/hooks/installed.sh"

marker=$attached/$session
[ -f "$marker" ] || marker=${XDG_RUNTIME_DIR-}/agentworks/attached/$session
[ -f "$marker" ] && [ -O "$marker" ] || exit 0
socket=
IFS= read -r socket <"$marker"
[ -S "$socket" ] || exit 0

host=${CLAUDE_PID:-$PPID}
if [ -x "$curl" ] && [ -x "$head" ]; then
  # One line is all that the host says; some never close the pipe after it.
  "$head" -n 1 | "$curl" -q -s -f -m 8 --unix-socket "$socket" --data-binary @- -H 'expect:' \
    -H 'content-type: application/json' -H "x-host-pid: $host" -H "x-session-id: $session" \
    "http://localhost/hooks/claude/$event" 2>/dev/null
elif [ -x "$node" ]; then
  "$node" "$CLAUDE_PLUGIN_ROOT/hooks/ask.cjs" "$socket" "/hooks/claude/$event" "$host" "$session" 2>/dev/null
fi
exit 0
