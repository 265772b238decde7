import { type Command, defineCommand } from '../../cli/command.ts'
import { NODE_OPTIONS } from '../../cli/nodeOptions.ts'
import { booleanOption } from '../../cli/option.ts'
import { GROUP, NODE_CLIENT_OPTIONS } from '../sharedOptions.ts'

export type DoctorOptions = typeof DOCTOR_OPTIONS
const DOCTOR_OPTIONS = {
  ...NODE_CLIENT_OPTIONS,
  dataPath: {
    ...NODE_OPTIONS.dataPath,
    shownDefault: 'none',
    description: 'Data path of the node on this machine, to look at its key and its disk too',
  },
  json: booleanOption({
    name: 'json',
    group: GROUP,
    fallback: false,
    description: 'One JSON object, for scripts',
  }),
  beforeRestart: booleanOption({
    name: 'before-restart',
    group: GROUP,
    fallback: false,
    description: 'Check whether the network keeps its quorum without this node',
  }),
}

export const DOCTOR_COMMAND: Command = defineCommand({
  name: 'doctor',
  summary: 'Check a running node and explain why blocks have stopped; exit code 1 when something is wrong',
  arguments: '',
  options: DOCTOR_OPTIONS,
  examples: ['', '--url=http://127.0.0.1:8545 --data-path=node1', '--before-restart --json'],
  load: async () => (await import('./doctor.ts')).runDoctor,
})
