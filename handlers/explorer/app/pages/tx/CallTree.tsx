import { useState } from 'preact/hooks'
import { SELECTOR_LENGTH } from '../../abi/selectors.ts'
import { decodeCall } from '../../abi/decode.ts'
import { abiChanges } from '../../abi/stored.ts'
import { checksummed, shorten } from '../../format/hex.ts'
import { formatEther, formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Bytes } from '../../parts/Bytes.tsx'
import { ChainText } from '../../parts/ChainText.tsx'
import { AddressLink } from '../../parts/Links.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { Values } from '../../parts/Values.tsx'
import { call } from '../../rpc/client.ts'
import type { RpcCallFrame } from '../../rpc/types.ts'
import { Reason } from './Outcome.tsx'

/** Calls that are drawn below one call; a transaction may make thousands. */
const SIBLINGS_MAX = 100
/** Depth to which calls are open at first. */
const OPEN_DEPTH = 3
/** Calls that are drawn at first. */
const DRAWN_MAX = 300

const Title = ({ frame }: { readonly frame: RpcCallFrame }) => {
  const decoded = decodeCall(frame.to ?? null, frame.input)
  const isCreate = frame.type.startsWith('CREATE')
  return (
    <>
      <span class={`badge ${frame.error === undefined ? '' : 'bad'}`}>{frame.type}</span>{' '}
      {/* A link inside a summary could not be reached by keys. */}
      {frame.to !== undefined && (
        <code title={checksummed(frame.to)}>{shorten(checksummed(frame.to), 8, 6)}</code>
      )}{' '}
      {!isCreate && (
        <strong>
          {decoded !== undefined ? (
            <ChainText text={decoded.name} />
          ) : frame.input === '0x' ? (
            ''
          ) : (
            frame.input.slice(0, SELECTOR_LENGTH)
          )}
        </strong>
      )}{' '}
      {frame.value !== undefined && BigInt(frame.value) > 0n && (
        <span>{formatEther(BigInt(frame.value))} </span>
      )}
      <small>{formatInteger(BigInt(frame.gasUsed))} gas</small>
    </>
  )
}

const Details = ({ frame }: { readonly frame: RpcCallFrame }) => {
  const decoded = decodeCall(frame.to ?? null, frame.input)
  return (
    <div class="call">
      {frame.error !== undefined && (
        <p class="problem">
          <ChainText text={frame.error} />{' '}
          {frame.output !== undefined && <Reason address={frame.to ?? null} data={frame.output} />}
        </p>
      )}
      {decoded === undefined ? (
        frame.input !== '0x' && <Bytes hex={frame.input} />
      ) : (
        <Values parameters={decoded.parameters} values={decoded.values} />
      )}
      {frame.error === undefined && frame.output !== undefined && frame.output !== '0x' && (
        <p>
          <small>returned</small> <Bytes hex={frame.output} />
        </p>
      )}
      <small>
        from <AddressLink address={frame.from} />
        {frame.to !== undefined && (
          <>
            {' '}
            to <AddressLink address={frame.to} />
          </>
        )}
        , with {formatInteger(BigInt(frame.gas))} gas
      </small>
    </div>
  )
}

const Inner = ({
  calls,
  depth,
  opened,
}: Omit<FrameProps, 'frame'> & { readonly calls: readonly RpcCallFrame[] }) => (
  <ul class="tree">
    {calls.slice(0, SIBLINGS_MAX).map((inner, index) => (
      <Frame key={index} frame={inner} depth={depth} opened={opened} />
    ))}
    {calls.length > SIBLINGS_MAX && (
      <li>
        <Notice>and {formatInteger(calls.length - SIBLINGS_MAX)} more calls</Notice>
      </li>
    )}
  </ul>
)

type FrameProps = {
  readonly frame: RpcCallFrame
  readonly depth: number
  /** Depth to which calls are open at first. */
  readonly opened: number
}

/** What is closed is not drawn: a transaction may make a hundred thousand calls, a thousand deep. */
const Frame = ({ frame, depth, opened }: FrameProps) => {
  const [isOpen, setOpen] = useState(depth < opened)
  const calls = frame.calls ?? []
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Title frame={frame} />
        </summary>
        {isOpen && <Details frame={frame} />}
        {isOpen && calls.length > 0 && <Inner calls={calls} depth={depth + 1} opened={opened} />}
      </details>
    </li>
  )
}

/** Depth to which all calls together are few enough to be drawn at first. */
const openDepth = (frame: RpcCallFrame): number => {
  let level = [frame]
  let drawn = 1
  for (let depth = 0; depth < OPEN_DEPTH; depth++) {
    level = level.flatMap(({ calls = [] }) => calls.slice(0, SIBLINGS_MAX))
    drawn += level.length
    if (drawn > DRAWN_MAX) return depth
  }
  return OPEN_DEPTH
}

/** Every call of a transaction with its gas. */
export const CallTree = ({ hash }: { readonly hash: string }) => {
  useValue(abiChanges)
  const loaded = useLoaded(`calls ${hash}`, () =>
    call<RpcCallFrame>('debug_traceTransaction', hash, { tracer: 'callTracer' }),
  )
  return (
    <Panel title="Calls">
      <Ready of={loaded} method="debug_traceTransaction">
        {frame => (
          <ul class="tree">
            <Frame frame={frame} depth={0} opened={openDepth(frame)} />
          </ul>
        )}
      </Ready>
    </Panel>
  )
}
