import type { Command } from './command.ts'

/** Shells whose completion is generated. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

/** The program that is completed: an alias or a script of this name runs the node. */
const NAME = 'quorate'

const flagsOf = ({ options }: Command): readonly string[] => [
  ...Object.values(options).map(({ name, kind }) => `--${name}${kind === 'boolean' ? '' : '='}`),
  '--help',
]

/** A case of the words before the cursor; the longest names first, so that `network init` is not taken for `network`. */
const caseOf = (command: Command): string =>
  `    ${command.name === '' ? '*' : `'${command.name}'*`}) COMPREPLY=($(compgen -W '${flagsOf(command).join(' ')}' -- "$current")) ;;`

const wordsOf = (commands: readonly Command[]): readonly string[] => [
  ...new Set(commands.flatMap(({ name }) => (name === '' ? [] : name.split(' ')))),
]

const byLength = (commands: readonly Command[]): readonly Command[] =>
  commands.toSorted((a, b) => b.name.length - a.name.length)

/** `=` separates words in bash: the cursor may stand behind it, where a file name is completed. */
const bashScript = (commands: readonly Command[]): string => `_${NAME}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=() word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] && break; words+=("$word"); done
  COMPREPLY=()
  if [[ $current == -* ]]; then
    case "\${words[*]}" in
${byLength(commands).map(caseOf).join('\n')}
    esac
    [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  elif [[ \${COMP_WORDS[COMP_CWORD-1]} == = || $current == = ]]; then
    COMPREPLY=($(compgen -f -- "\${current#=}"))
  else
    COMPREPLY=($(compgen -W '${wordsOf(commands).join(' ')}' -- "$current") $(compgen -f -- "$current"))
  fi
}
complete -F _${NAME} ${NAME}`

/** zsh runs the functions of bash. */
const zshScript = (commands: readonly Command[]): string =>
  `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fishLines = ({ name, summary, options }: Command): readonly string[] => {
  const words = name.split(' ')
  const condition =
    name === ''
      ? 'not __fish_seen_subcommand_from $commands'
      : words.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ')
  const before = words.slice(0, -1).map(word => `__fish_seen_subcommand_from ${word}`)
  const command =
    name === ''
      ? []
      : [
          `complete -c ${NAME} -f -n ${fishText(before[0] ?? '__fish_use_subcommand')} -a ${words.at(-1)} -d ${fishText(summary)}`,
        ]
  return [
    ...command,
    ...Object.values(options).map(
      option =>
        `complete -c ${NAME} -n ${fishText(condition)} -l ${option.name}${option.kind === 'boolean' ? '' : ' -r'} -d ${fishText(option.description)}`,
    ),
  ]
}

const fishScript = (commands: readonly Command[]): string =>
  [`set -l commands ${wordsOf(commands).join(' ')}`, ...commands.flatMap(fishLines)].join('\n')

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The script that completes the commands and options in a shell, for `eval` or its folder of completions. */
export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  SCRIPTS[shell](commands)
