import { randomBytes } from 'node:crypto'
import { test } from 'bun:test'
import { publicKeyOf } from '../../core/crypto/crypto.ts'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { withDevp2pNodes } from './devp2p/nodes.ts'
import { type Node, until, withNodes } from './networks.ts'

const HINT = '--p2p-protocol'

const reasonsOf = ({ lines }: Node): readonly string[] =>
  lines.map(({ values }) => String(values?.['reason']))

test('given a node over libp2p and one over devp2p, when they dial each other, then both name the option that differs', async () => {
  await withNodes(startLibp2p =>
    withDevp2pNodes(async startDevp2p => {
      const privateKey = randomBytes(32)
      const [port = 0] = await freePorts(1)
      const enode = formatEnode({ publicKey: publicKeyOf(privateKey), host: '127.0.0.1', port })
      const devp2p = await startDevp2p({ staticNodes: [enode] })
      const libp2p = await startLibp2p({ privateKey, port, staticNodes: [devp2p.network.enode] })
      await until(() => reasonsOf(libp2p).some(reason => reason.includes(HINT)))
      await until(() => devp2p.lines.some(line => line.startsWith('Cannot connect') && line.includes(HINT)))
      await until(() => devp2p.lines.some(line => line.includes(`${HINT}: libp2p`)))
    }),
  )
})

test('given the enode URL of a key that the node at its address no longer has, when it is dialed, then the reason says so', async () => {
  await withNodes(async start => {
    const changed = await start()
    const { port } = new URL(changed.network.enode)
    const publicKey = publicKeyOf(randomBytes(32))
    const former = formatEnode({ publicKey, host: '127.0.0.1', port: Number(port) })
    const dialing = await start({ staticNodes: [former] })
    await until(() =>
      reasonsOf(dialing).some(reason => reason.includes('has another key than its enode URL')),
    )
  })
})
