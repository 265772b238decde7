import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Details } from '../../parts/Details.tsx'
import { ChainText } from '../../parts/ChainText.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { call } from '../../rpc/client.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex, RpcPeer } from '../../rpc/types.ts'
import { PeerGraph } from './PeerGraph.tsx'

type NodeInfo = {
  readonly name: string
  readonly enode: string
  readonly listenAddr: string
  readonly activeFork?: string
  readonly protocols: { readonly eth: { readonly genesis: Hex; readonly network: number } }
}

const ID_LENGTH = 12

/** Head of a peer: on QBFT chains the total difficulty grows by one with each block. */
const headOf = ({ protocols }: RpcPeer): string =>
  protocols.eth?.difficulty === undefined ? '–' : formatInteger(BigInt(protocols.eth.difficulty) - 1n)

const COLUMNS: readonly Column<RpcPeer>[] = [
  { name: 'Node', cell: ({ id }) => <code title={id}>{id.replace(/^0x/, '').slice(0, ID_LENGTH)}…</code> },
  { name: 'Version', cell: ({ name }) => <ChainText text={name} /> },
  { name: 'Address', cell: ({ network }) => <ChainText text={network.remoteAddress} /> },
  {
    name: 'Direction',
    isOptional: true,
    cell: ({ network }) => (network.inbound ? 'inbound' : 'outbound'),
  },
  { name: 'Block', isNumber: true, cell: headOf },
  { name: 'Protocols', isOptional: true, cell: ({ caps }) => <ChainText text={caps.join(' ')} /> },
]

const OwnNode = ({ info }: { readonly info: NodeInfo }) => (
  <Details
    rows={[
      ['Version', <ChainText key="version" text={info.name} />],
      ['Listens on', <ChainText key="listens" text={info.listenAddr} />],
      ['Rules', info.activeFork === undefined ? undefined : <ChainText key="rules" text={info.activeFork} />],
      ['Network id', String(info.protocols.eth.network)],
      ['First block', <code key="genesis">{info.protocols.eth.genesis}</code>],
      ['Enode URL', <code key="enode">{info.enode}</code>],
    ]}
  />
)

/** This node, and the nodes it is connected to. */
export const NetworkPage = () => {
  const number = useValue(head)
  const peers = useLoaded('peers', () => call<readonly RpcPeer[]>('admin_peers'), [number])
  const count = useLoaded('peer count', () => call<Hex>('net_peerCount'), [number])
  const info = useLoaded('node', () => call<NodeInfo>('admin_nodeInfo'))
  return (
    <>
      <h1>Network</h1>
      <Panel
        title="Peers"
        aside={
          count.value === undefined ? undefined : <span>{BigInt(count.value).toString()} connected</span>
        }
      >
        <Ready of={peers} method="admin_peers">
          {value =>
            value.length === 0 ? (
              <Notice>This node has no peers.</Notice>
            ) : (
              <>
                <PeerGraph peers={value} />
                <Table label="Peers" columns={COLUMNS} rows={value} keyOf={({ id }) => id} empty="" />
              </>
            )
          }
        </Ready>
      </Panel>
      <Panel title="This node">
        <Ready of={info} method="admin_nodeInfo">
          {value => <OwnNode info={value} />}
        </Ready>
      </Panel>
    </>
  )
}
