# The person typed our command, and whatever happens it must not reach the model. A failure here is shown to the person by
# the host (`onFailure`), which then runs nothing.
. "$CLAUDE_PLUGIN_ROOT/hooks/installed.sh"
if [ ! -x "$node" ]; then
  echo 'The Node that AgentWorks was installed with is gone. Run in a terminal: agentworks plugins install claude' >&2
  exit 1
fi
exec "$node" "$CLAUDE_PLUGIN_ROOT/hooks/command.cjs" "$record" "$CLAUDE_PLUGIN_ROOT/bin/agentworks" \
  "${CLAUDE_PID:-$PPID}" "${CLAUDE_CODE_SESSION_ID-}"
