import { P2P_PORT } from '../cli/ports.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { PROGRAM } from '../cli/program.ts'
import { configPath, type NetworkPlan, UNIT_FILE } from './networkPlan.ts'
import { INSTALLED_BINARY } from './systemdUnit.ts'
import { quorumText } from './voteEffect.ts'

/** In a checkout of the sources. */
const IMAGE_COMMANDS = `    bun run package
    runtime/packaging/rootfs.sh dist/bin/quorate-linux-x64 dist/rootfs
    docker build --file runtime/packaging/Containerfile --tag quorate dist/rootfs`

/** Where `PROGRAM` is found: a package that npm installed puts it into no PATH. */
const PROGRAM_PLACE =
  PROGRAM === 'quorate'
    ? 'with the `quorate` that you have installed (by npm: its file is `node_modules/.bin/quorate`)'
    : "in the folder of Quorate's sources"

const localStart = (plan: NetworkPlan): string => `Start each node in its own terminal, ${PROGRAM_PLACE}:

${plan.nodes.map(node => `    ${PROGRAM} --config-file=${configPath(node)}`).join('\n')}

or all of them in containers. In a checkout of Quorate's sources, once:

${IMAGE_COMMANDS}

and here:

    docker compose up`

const remoteStart = ({ nodes }: NetworkPlan): string => {
  const home = nodes[0]?.home ?? ''
  return `Copy each folder to its machine. Its key must never exist on two machines that run:

${nodes.map(node => `    rsync -a --chmod=go= ${node.name}/ root@${node.host}:${node.home}/`).join('\n')}

Machines reach one another on port ${P2P_PORT} (TCP); the ports of JSON-RPC and metrics are reached from the machine itself.

### With systemd

In a checkout of Quorate's sources \`bun run package\` writes the binary \`dist/bin/quorate-linux-x64\`. Copy it to each machine:

${nodes.map(({ host }) => `    scp dist/bin/quorate-linux-x64 root@${host}:${INSTALLED_BINARY}`).join('\n')}

On each machine, as root:

    chmod 755 ${INSTALLED_BINARY}
    useradd --system --home-dir=${home} --shell=/usr/sbin/nologin quorate
    chown -R quorate:quorate ${home}
    install -m 644 ${home}/${UNIT_FILE} /etc/systemd/system/${UNIT_FILE}
    systemctl daemon-reload
    systemctl enable --now quorate

### Or in a container

In a checkout of Quorate's sources:

${IMAGE_COMMANDS}
${nodes.map(({ host }) => `    docker save quorate | ssh root@${host} docker load`).join('\n')}

On each machine, as root; 10001 is the user of the image:

    chown -R 10001:10001 ${home}
    docker compose --file=${home}/compose.yaml up -d`
}

/** The page that says what to do with the files. */
export const nextStepsText = (plan: NetworkPlan): string => {
  const { nodes } = plan
  const [first] = nodes
  const url = `http://127.0.0.1:${first?.rpcPort ?? 0}`
  const program = plan.isLocal ? PROGRAM : INSTALLED_BINARY
  return `# Next steps

${quorumText(nodes.length)}.

| node | address | p2p |
| --- | --- | --- |
${nodes.map(({ name, key, host, p2pPort }) => `| ${name} | \`${toHex(key.address)}\` | ${host}:${p2pPort} |`).join('\n')}

## Start

${plan.isLocal ? localStart(plan) : remoteStart(plan)}

## See that it runs

    ${program} doctor --url=${url}
    ${program} validators list --url=${url}
${
  plan.isLocal
    ? ''
    : `
A node in a container has the program inside: \`docker exec <container> ${INSTALLED_BINARY} doctor\`.
`
}
Gas costs nothing in this network (\`zeroBaseFee\`, \`min-gas-price = 0\`). Wallets and scripts that offer a price of 0 need no
balance; with Foundry: \`cast send --legacy --gas-price 0 ...\`.

## Keep safe

- \`validatorN/data/key\` is the identity of a validator. Keep a copy offline; whoever has it can sign for it.
- \`genesis.json\` is the same for all nodes. \`${PROGRAM} genesis check FILE...\` compares the files of several companies.
`
}
