import { visibleParts } from '../../format/text.ts'
import type { RpcPeer } from '../../rpc/types.ts'

const WIDTH = 760
const HEIGHT = 300
const CENTRE = { x: WIDTH / 2, y: HEIGHT / 2 }
/** Peers that are drawn; the table below has all. */
const DRAWN_MAX = 40

const placeOf = (index: number, count: number): { readonly x: number; readonly y: number } => {
  const angle = (2 * Math.PI * index) / count - Math.PI / 2
  return {
    x: CENTRE.x + Math.cos(angle) * (WIDTH / 2 - 130),
    y: CENTRE.y + Math.sin(angle) * (HEIGHT / 2 - 38),
  }
}

const textOf = (text: string): string =>
  visibleParts(text)
    .map(part => part.text)
    .join('')

/** `quorate/v0.1.0` of a client version. */
const versionOf = ({ name }: RpcPeer): string => textOf(name.split('/').slice(0, 2).join('/'))

const Peer = ({
  peer,
  index,
  count,
}: {
  readonly peer: RpcPeer
  readonly index: number
  readonly count: number
}) => {
  const { x, y } = placeOf(index, count)
  return (
    <g>
      <line x1={CENTRE.x} y1={CENTRE.y} x2={x} y2={y} class={peer.network.inbound ? 'inbound' : 'outbound'} />
      <circle cx={x} cy={y} r={9} class="peer" />
      <text x={x} y={y + 25}>
        {textOf(peer.network.remoteAddress)}
      </text>
      <text x={x} y={y - 15} class="version">
        {versionOf(peer)}
      </text>
    </g>
  )
}

/** This node in the middle, with a line to each peer; a line that the peer opened is dashed. */
export const PeerGraph = ({ peers }: { readonly peers: readonly RpcPeer[] }) => {
  const drawn = peers.slice(0, DRAWN_MAX)
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`This node and ${peers.length} peers`}
    >
      {drawn.map((peer, index) => (
        <Peer key={peer.id} peer={peer} index={index} count={drawn.length} />
      ))}
      <circle cx={CENTRE.x} cy={CENTRE.y} r={13} class="own" />
      <text x={CENTRE.x} y={CENTRE.y + 31}>
        this node
      </text>
    </svg>
  )
}
