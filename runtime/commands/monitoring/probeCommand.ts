import { LOCAL_RPC_URL } from '../../cli/ports.ts'
import { type Command, defineCommand } from '../../cli/command.ts'
import { textOption } from '../../cli/option.ts'
import { GROUP } from '../sharedOptions.ts'

export type ProbeOptions = typeof PROBE_OPTIONS
const PROBE_OPTIONS = {
  url: textOption({
    name: 'url',
    group: GROUP,
    fallback: `${LOCAL_RPC_URL}/liveness`,
    placeholder: '<URL>',
    description: '/liveness or /readiness of a node, on its JSON-RPC or metrics port',
  }),
}

export const PROBE_COMMAND: Command = defineCommand({
  name: 'probe',
  summary: 'Ask a node whether it is up; exit code 1 when it is not, for the health checks of containers',
  arguments: '',
  options: PROBE_OPTIONS,
  examples: ['', '--url=http://127.0.0.1:8545/readiness?minPeers=0'],
  load: async () => (await import('./probe.ts')).runProbe,
})
