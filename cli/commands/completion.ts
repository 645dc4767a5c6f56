import { command, Usage } from '../command.ts';

// Each asks `agentworks __complete WORDS…`, which reads local files only.
const bash = `_agentworks() {
  local line="\${COMP_LINE:0:COMP_POINT}" one
  local -a words
  # bash splits at ":", so the line is split again: agent:alice is one word
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS=$'\\t' read -r one _; do COMPREPLY+=("$one"); done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _agentworks agentworks
`;

const zsh = `#compdef agentworks
_agentworks() {
  local -a values; local line
  for line in "\${(@f)$(agentworks __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( \${#values} )) && _describe 'agentworks' values || _files
}
compdef _agentworks agentworks
`;

const fish = `complete -c agentworks -a '(agentworks __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

export const completion = command({
  description:
    'Completes a command that is called agentworks; npx agentworks, as in a clone, is completed by no shell.',
  options: {},
  operand: { name: 'SHELL', summary: 'bash, zsh or fish' },
  examples: [
    'source <(agentworks completion bash)      # in ~/.bashrc',
    'source <(agentworks completion zsh)       # in ~/.zshrc, after compinit',
    'agentworks completion fish | source       # in ~/.config/fish/config.fish',
  ],
  async run({ io }, _given, shell = '') {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) throw new Usage(`SHELL is bash, zsh or fish, not ${shell}.`);
    io.out(script);
  },
});
