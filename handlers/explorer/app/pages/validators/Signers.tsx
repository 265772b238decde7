import { consensusOf, signersOf } from '../../chain/consensus.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useRecentBlocks } from '../../hooks/useRecentBlocks.ts'
import { AddressLink } from '../../parts/Links.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import type { Hex, RpcBlock } from '../../rpc/types.ts'

const BLOCKS = 100
/** Validators that are drawn: each is a hundred shapes. */
const ROWS_MAX = 100
const CELL = 10

type Signed = { readonly block: RpcBlock; readonly signers: ReadonlySet<Hex> }

type Cell = 'proposed' | 'sealed' | 'missed' | 'absent'

const cellOf = (validator: Hex, { block, signers }: Signed): Cell => {
  if (block.miner.toLowerCase() === validator) return 'proposed'
  if (signers.has(validator)) return 'sealed'
  const validators = consensusOf(block)?.validators ?? []
  return validators.length > 0 && !validators.includes(validator) ? 'absent' : 'missed'
}

const SHAPES: Readonly<Record<Cell, string>> = {
  proposed: 'proposed the block',
  sealed: 'sealed it',
  missed: 'has no seal in it',
  absent: 'was not a validator',
}

const Row = ({ validator, blocks }: { readonly validator: Hex; readonly blocks: readonly Signed[] }) => {
  const cells = blocks.map(signed => cellOf(validator, signed))
  const count = (wanted: Cell): number => cells.filter(cell => cell === wanted).length
  const sealed = count('sealed') + count('proposed')
  return (
    <div class="signer">
      <AddressLink address={validator} />
      <svg
        viewBox={`0 0 ${BLOCKS * CELL} ${CELL + 2}`}
        role="img"
        aria-label={`took part in ${sealed} of ${blocks.length} blocks, proposed ${count('proposed')}`}
      >
        {cells.map((cell, index) => (
          <rect key={index} class={cell} x={index * CELL + 1} y={1} width={CELL - 2} height={CELL} rx={2}>
            <title>{`Block ${Number(blocks[index]?.block.number)}: ${SHAPES[cell]}`}</title>
          </rect>
        ))}
      </svg>
      <span class="number">{sealed}</span>
    </div>
  )
}

const signedOf = async (blocks: readonly RpcBlock[]): Promise<readonly Signed[]> => {
  // The genesis block has no seals.
  const sealed = blocks.filter(({ number }) => BigInt(number) > 0n).toReversed()
  return await Promise.all(sealed.map(async block => ({ block, signers: new Set(await signersOf(block)) })))
}

const validatorsOf = (blocks: readonly Signed[], current: readonly Hex[]): readonly Hex[] =>
  [
    ...new Set(
      [
        ...current,
        ...blocks.flatMap(({ block, signers }) => [...(consensusOf(block)?.validators ?? []), ...signers]),
      ].map(address => address.toLowerCase() as Hex),
    ),
  ].sort()

const Grid = ({
  blocks,
  current,
}: {
  readonly blocks: readonly Signed[]
  readonly current: readonly Hex[]
}) => (
  <div class="signers">
    {validatorsOf(blocks, current)
      .slice(0, ROWS_MAX)
      .map(validator => (
        <Row key={validator} validator={validator} blocks={blocks} />
      ))}
    <p class="legend">
      <span class="key proposed" /> proposed <span class="key sealed" /> sealed <span class="key missed" /> no
      seal in the block
    </p>
    <Notice>
      The signatures are checked in this browser. A quorum of seals suffices for a block: a validator without
      one may only have been later than the others.
    </Notice>
  </div>
)

/** The validators that sealed each of the last blocks. */
export const Signers = ({ current = [] }: { readonly current?: readonly Hex[] | undefined }) => {
  const recent = useRecentBlocks(BLOCKS)
  const blocks = recent.value
  const signed = useLoaded(
    'signers',
    async () => (blocks === undefined ? new Promise<never>(() => undefined) : await signedOf(blocks)),
    [blocks],
  )
  return (
    <Panel title={`Seals of the last ${BLOCKS} blocks`}>
      <Ready
        of={recent.error === undefined ? signed : { ...signed, error: recent.error }}
        method={recent.method}
      >
        {value =>
          value.length === 0 ? (
            <Notice>There are no blocks after the first one yet.</Notice>
          ) : (
            <Grid blocks={value} current={current} />
          )
        }
      </Ready>
    </Panel>
  )
}
