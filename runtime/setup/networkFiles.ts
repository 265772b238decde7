import { join, relative } from 'node:path'
import { getgid, getuid } from 'node:process'
import { toHex } from '../../core/bytes/hex.ts'
import { nextStepsText } from './nextSteps.ts'
import {
  CONFIG_FILE,
  configPath,
  GENESIS_FILE,
  keyPath,
  type NetworkPlan,
  type PlannedNode,
  STATE_ROOT,
  UNIT_FILE,
  LOCAL_HOST,
} from './networkPlan.ts'
import { INSTALLED_BINARY, unitText } from './systemdUnit.ts'

/** A file of the set-up. */
export type PlannedFile = { readonly path: string; readonly text: string; readonly mode: number }

const PLAIN = 0o644
const SECRET = 0o600

/** A TOML basic string; paths and names have no control characters. */
const quoted = (text: string): string => JSON.stringify(text)

const configText = (node: PlannedNode): string => `# ${node.name}: ${toHex(node.key.address)}
data-path = ${quoted(join(node.home, 'data'))}
genesis-file = ${quoted(join(node.home, GENESIS_FILE))}
min-gas-price = 0

p2p-host = ${quoted(node.host)}
${node.host === LOCAL_HOST ? `p2p-interface = ${quoted(node.host)}\n` : ''}p2p-port = ${node.p2pPort}

rpc-http-enabled = true
rpc-http-port = ${node.rpcPort}
rpc-http-api = ["ETH", "NET", "WEB3", "QBFT", "TXPOOL", "ADMIN"]

metrics-enabled = true
metrics-port = ${node.metricsPort}
`

/** The user of the container that `packaging/Containerfile` builds. */
const CONTAINER_USER = 10_001

/** Who may read the key: on this machine whoever runs the set-up, elsewhere the user of the container. */
const containerUser = ({ isLocal }: NetworkPlan): string =>
  isLocal
    ? `${getuid?.() ?? CONTAINER_USER}:${getgid?.() ?? CONTAINER_USER}`
    : `${CONTAINER_USER}:${CONTAINER_USER}`

const serviceText = (plan: NetworkPlan, node: PlannedNode): string => `  ${node.name}:
    image: quorate
    user: ${quoted(containerUser(plan))}
    network_mode: host
    restart: on-failure
    stop_grace_period: 60s
    volumes:
      - ${quoted(`${node.home}:${node.home}`)}
    environment:
      TMPDIR: ${quoted(join(node.home, 'data'))}
    entrypoint: [${quoted(INSTALLED_BINARY)}]
    command: [${quoted(`--config-file=${configPath(node)}`)}]
    healthcheck:
      test: ["CMD", ${quoted(INSTALLED_BINARY)}, "probe", "--url=http://127.0.0.1:${node.rpcPort}/readiness"]
      interval: 10s
`

const composeText = (plan: NetworkPlan, nodes: readonly PlannedNode[]): string =>
  `services:\n${nodes.map(node => serviceText(plan, node)).join('')}`

/** Files for where the node runs on a machine of its own: a unit of systemd, and a Compose file. */
const installationFiles = (plan: NetworkPlan, node: PlannedNode): readonly PlannedFile[] => [
  {
    path: join(node.folder, UNIT_FILE),
    text: unitText({
      description: `Quorate ${node.name}`,
      args: [`--config-file=${configPath(node)}`],
      stateDirectory: relative(STATE_ROOT, node.home),
    }),
    mode: PLAIN,
  },
  { path: join(node.folder, 'compose.yaml'), text: composeText(plan, [node]), mode: PLAIN },
]

const staticNodesText = (plan: NetworkPlan, node: PlannedNode): string => {
  const others = plan.nodes.filter(other => other !== node).map(({ enode }) => enode)
  return `${JSON.stringify(others, undefined, 2)}\n`
}

const filesOfNode = (plan: NetworkPlan, node: PlannedNode, genesis: string): readonly PlannedFile[] => [
  { path: keyPath(node), text: toHex(node.key.privateKey), mode: SECRET },
  { path: join(node.folder, 'data', 'static-nodes.json'), text: staticNodesText(plan, node), mode: PLAIN },
  { path: join(node.folder, CONFIG_FILE), text: configText(node), mode: PLAIN },
  // Each folder is complete, so that it can be carried to its machine.
  { path: join(node.folder, GENESIS_FILE), text: genesis, mode: PLAIN },
  ...(plan.isLocal ? [] : installationFiles(plan, node)),
]

/** All files of the network; the genesis file of the network is the last one, so that a folder that has it is complete. */
export const filesOf = (plan: NetworkPlan, genesis: string): readonly PlannedFile[] => [
  ...plan.nodes.flatMap(node => filesOfNode(plan, node, genesis)),
  ...(plan.isLocal
    ? [{ path: join(plan.folder, 'compose.yaml'), text: composeText(plan, plan.nodes), mode: PLAIN }]
    : []),
  { path: join(plan.folder, 'NEXT-STEPS.md'), text: nextStepsText(plan), mode: PLAIN },
  { path: join(plan.folder, GENESIS_FILE), text: genesis, mode: PLAIN },
]
