import type { ComponentChildren } from 'preact'
import { status } from '../../chain/status.ts'
import { formatGasPrice, formatInteger, formatRoundGasPrice } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { head } from '../../rpc/heads.ts'
import { optional } from '../../rpc/optional.ts'
import type { RpcBlock } from '../../rpc/types.ts'

const Tile = ({
  name,
  href,
  children,
}: {
  readonly name: string
  readonly href: string
  readonly children: ComponentChildren
}) => (
  <a class="tile" href={href}>
    <span>{name}</span>
    <strong>{children}</strong>
  </a>
)

const readNumbers = async () => {
  const [pool, peers, gasPrice] = await Promise.all([
    optional<{ readonly pending: string; readonly queued: string }>('txpool_status'),
    optional<string>('net_peerCount'),
    optional<string>('eth_gasPrice'),
  ])
  return { pool, peers, gasPrice }
}

const meanOf = (all: readonly RpcBlock[]): { readonly interval: string; readonly rate: string } => {
  // The time of the first block is that of the genesis file.
  const blocks = all.filter(({ number }) => BigInt(number) > 0n)
  const first = blocks.at(-1)
  const last = blocks[0]
  if (first === undefined || last === undefined || first === last) return { interval: '–', rate: '–' }
  const seconds = Number(BigInt(last.timestamp) - BigInt(first.timestamp))
  const transactions = blocks.slice(0, -1).reduce((sum, block) => sum + block.transactions.length, 0)
  return {
    interval: `${(seconds / (blocks.length - 1)).toFixed(seconds < blocks.length * 10 ? 1 : 0)} s`,
    rate: seconds === 0 ? '–' : (transactions / seconds).toFixed(transactions < seconds * 10 ? 1 : 0),
  }
}

/** The key figures of the chain. */
export const Tiles = ({ blocks }: { readonly blocks: readonly RpcBlock[] }) => {
  const number = useValue(head)
  const { value } = useValue(status)
  const { value: numbers } = useLoaded('numbers', readNumbers, [number])
  const { interval, rate } = meanOf(blocks)
  const pool = numbers?.pool
  return (
    <section class="tiles" aria-label="The chain in numbers">
      <Tile name="Block" href="/explorer/blocks">
        {number === undefined ? '–' : formatInteger(number)}
      </Tile>
      <Tile name="Block interval" href="/explorer/blocks">
        {interval}
      </Tile>
      <Tile name="Transactions per second" href="/explorer/blocks">
        {rate}
      </Tile>
      <Tile name="Validators heard" href="/explorer/validators">
        {value === undefined ? '–' : `${value.heard} of ${value.validators.length}`}
      </Tile>
      <Tile name="Pool, waiting and queued" href="/explorer/pool">
        {pool === undefined
          ? '–'
          : `${formatInteger(BigInt(pool.pending))} + ${formatInteger(BigInt(pool.queued))}`}
      </Tile>
      <Tile name="Peers" href="/explorer/network">
        {numbers?.peers === undefined ? '–' : formatInteger(BigInt(numbers.peers))}
      </Tile>
      <Tile name="Gas price" href="/explorer/blocks">
        {numbers?.gasPrice === undefined ? (
          '–'
        ) : (
          <span title={formatGasPrice(BigInt(numbers.gasPrice))}>
            {formatRoundGasPrice(BigInt(numbers.gasPrice))}
          </span>
        )}
      </Tile>
    </section>
  )
}
