import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { PROGRAM } from '../cli/program.ts'
import type { NetworkPlan } from './networkPlan.ts'
import { quorumText } from './voteEffect.ts'

const localStart = ({
  nodes,
}: NetworkPlan): string => `Start each node in its own terminal, in the folder of Quorate:

${nodes.map(({ home }) => `    ${PROGRAM} --config-file=${join(home, 'quorate.toml')}`).join('\n')}

or all of them with \`docker compose up\` here, after \`docker build -t quorate .\` in the folder of Quorate.`

const remoteStart = ({
  nodes,
}: NetworkPlan): string => `Copy each folder to its machine. Its key must never exist on two machines that run:

${nodes.map(({ name, host, home }) => `    rsync -a --chmod=go= ${name}/ root@${host}:${home}/`).join('\n')}

There, install \`quorate-validatorN.service\` as /etc/systemd/system/quorate.service, or run \`docker compose up -d\` in ${nodes[0]?.home ?? ''}.
Machines reach one another on port 30303 (TCP); the ports of JSON-RPC and metrics are reached from the machine itself.`

/** The page that says what to do with the files. */
export const nextStepsText = (plan: NetworkPlan): string => {
  const { nodes } = plan
  const [first] = nodes
  const url = `http://127.0.0.1:${first?.rpcPort ?? 0}`
  return `# Next steps

${quorumText(nodes.length)}.

| node | address | p2p |
| --- | --- | --- |
${nodes.map(({ name, key, host, p2pPort }) => `| ${name} | \`${toHex(key.address)}\` | ${host}:${p2pPort} |`).join('\n')}

## Start

${plan.isLocal ? localStart(plan) : remoteStart(plan)}

## See that it runs

    ${PROGRAM} doctor --url=${url}
    ${PROGRAM} validators list --url=${url}

## Keep safe

- \`validatorN/data/key\` is the identity of a validator. Keep a copy offline; whoever has it can sign for it.
- \`genesis.json\` is the same for all nodes, for ever. \`${PROGRAM} genesis check FILE...\` compares the files of several companies.
`
}
