import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { nextStepsText } from './nextSteps.ts'
import { GENESIS_FILE, keyPath, type NetworkPlan, type PlannedNode } from './networkPlan.ts'

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
p2p-port = ${node.p2pPort}

rpc-http-enabled = true
rpc-http-port = ${node.rpcPort}
rpc-http-api = ["ETH", "NET", "WEB3", "QBFT", "TXPOOL"]

metrics-enabled = true
metrics-port = ${node.metricsPort}
`

const unitText = (node: PlannedNode): string => `[Unit]
Description=Quorate ${node.name}
After=network-online.target
Wants=network-online.target

[Service]
User=quorate
WorkingDirectory=/opt/quorate
ExecStart=/usr/local/bin/bun runtime/main.ts --config-file=${join(node.home, 'quorate.toml')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
TimeoutStopSec=60
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`

const serviceText = (node: PlannedNode): string => `  ${node.name}:
    image: quorate
    network_mode: host
    restart: on-failure
    stop_grace_period: 60s
    volumes:
      - ${quoted(`${node.home}:${node.home}`)}
    entrypoint: ["bun", "runtime/main.ts"]
    command: ["--config-file=${join(node.home, 'quorate.toml')}"]
    healthcheck:
      test: ["CMD", "bun", "-e", "process.exit((await fetch('http://127.0.0.1:${node.rpcPort}/readiness')).ok ? 0 : 1)"]
      interval: 10s
`

const composeText = (nodes: readonly PlannedNode[]): string => `services:\n${nodes.map(serviceText).join('')}`

const staticNodesText = (plan: NetworkPlan, node: PlannedNode): string => {
  const others = plan.nodes.filter(other => other !== node).map(({ enode }) => enode)
  return `${JSON.stringify(others, undefined, 2)}\n`
}

const filesOfNode = (plan: NetworkPlan, node: PlannedNode, genesis: string): readonly PlannedFile[] => [
  { path: keyPath(node), text: toHex(node.key.privateKey), mode: SECRET },
  { path: join(node.folder, 'data', 'static-nodes.json'), text: staticNodesText(plan, node), mode: PLAIN },
  { path: join(node.folder, 'quorate.toml'), text: configText(node), mode: PLAIN },
  { path: join(node.folder, `quorate-${node.name}.service`), text: unitText(node), mode: PLAIN },
  // Each folder is complete, so that it can be carried to its machine.
  { path: join(node.folder, GENESIS_FILE), text: genesis, mode: PLAIN },
  ...(plan.isLocal
    ? []
    : [{ path: join(node.folder, 'compose.yaml'), text: composeText([node]), mode: PLAIN }]),
]

/** All files of the network; the genesis file of the network is the last one, so that a folder that has it is complete. */
export const filesOf = (plan: NetworkPlan, genesis: string): readonly PlannedFile[] => [
  ...plan.nodes.flatMap(node => filesOfNode(plan, node, genesis)),
  ...(plan.isLocal
    ? [{ path: join(plan.folder, 'compose.yaml'), text: composeText(plan.nodes), mode: PLAIN }]
    : []),
  { path: join(plan.folder, 'NEXT-STEPS.md'), text: nextStepsText(plan), mode: PLAIN },
  { path: join(plan.folder, GENESIS_FILE), text: genesis, mode: PLAIN },
]
