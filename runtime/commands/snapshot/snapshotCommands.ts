import { type Command, defineCommand } from '../../cli/command.ts'
import { bigintOption, pathOption, textOption } from '../../cli/option.ts'
import { CHAIN_OPTIONS, GROUP, NODE_CLIENT_OPTIONS } from '../sharedOptions.ts'

export type CreateOptions = typeof CREATE_OPTIONS
const CREATE_OPTIONS = {
  ...CHAIN_OPTIONS,
  to: pathOption({
    name: 'to',
    group: GROUP,
    fallback: undefined,
    description: 'File to write; with --url its name in the folder snapshots of the data path of the node',
  }),
  block: bigintOption({
    name: 'block',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'the head',
    placeholder: '<BLOCK>',
    description: 'Last block of the snapshot',
  }),
  url: textOption({
    name: 'url',
    group: GROUP,
    fallback: undefined,
    placeholder: '<URL>',
    description:
      'JSON-RPC of a running node with the group ADMIN, which writes the file; without it the node must be stopped',
  }),
  tokenFile: NODE_CLIENT_OPTIONS.tokenFile,
}

export type RestoreOptions = typeof RESTORE_OPTIONS
const RESTORE_OPTIONS = {
  ...CHAIN_OPTIONS,
  genesisFile: {
    ...CHAIN_OPTIONS.genesisFile,
    shownDefault: 'required',
    description: "Genesis file of the snapshot's network in Besu's format",
  },
  from: pathOption({
    name: 'from',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'required',
    description: 'Snapshot to read',
  }),
}

export const SNAPSHOT_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'snapshot create',
    summary: 'Write the chain and its state to a file',
    arguments: '',
    options: CREATE_OPTIONS,
    examples: [
      '--genesis-file=genesis.json --data-path=node1 --to=chain.snapshot',
      '--url=http://127.0.0.1:8545 --to=chain.snapshot',
    ],
    load: async () => (await import('./create.ts')).createSnapshot,
  }),
  defineCommand({
    name: 'snapshot restore',
    summary: 'Restore the chain of a new node from a snapshot, verified against its seals and roots',
    arguments: '',
    options: RESTORE_OPTIONS,
    examples: ['--genesis-file=genesis.json --data-path=node2 --from=chain.snapshot'],
    load: async () => (await import('./restore.ts')).restoreSnapshot,
  }),
]
