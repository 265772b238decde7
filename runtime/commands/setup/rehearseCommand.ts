import { defineCommand } from '../../cli/command.ts'
import { bigintOption, pathOption } from '../../cli/option.ts'
import { CHAIN_OPTIONS, GROUP } from '../sharedOptions.ts'

export type RehearseOptions = typeof REHEARSE_OPTIONS
const REHEARSE_OPTIONS = {
  ...CHAIN_OPTIONS,
  at: bigintOption({
    name: 'at',
    group: GROUP,
    fallback: undefined,
    placeholder: '<BLOCK>',
    description: 'First block to replay; the head is the last one. The default replays 64 blocks',
  }),
  copyTo: pathOption({
    name: 'copy-to',
    group: GROUP,
    fallback: undefined,
    shownDefault: "the system's temporary folder",
    description: 'Folder for the copy of the chain, which is removed at the end',
  }),
}

export const REHEARSE_COMMAND = defineCommand({
  name: 'genesis rehearse',
  summary: 'Replay the last blocks of a copy of the chain under the planned transitions and forks',
  arguments: '',
  options: REHEARSE_OPTIONS,
  examples: ['--genesis-file=planned.json --data-path=node1 --at=120000'],
  load: async () => (await import('./rehearse.ts')).rehearseGenesis,
})
