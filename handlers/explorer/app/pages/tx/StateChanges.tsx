import type { ComponentChildren } from 'preact'
import { formatEther, formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { Bytes } from '../../parts/Bytes.tsx'
import { AddressLink } from '../../parts/Links.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, RpcAccountState, RpcStateDiff } from '../../rpc/types.ts'

const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`

type Change = {
  readonly what: ComponentChildren
  readonly before: ComponentChildren
  readonly after: ComponentChildren
}

const storageChanges = (before: RpcAccountState, after: RpcAccountState): readonly Change[] => {
  const slots = new Set([
    ...Object.keys(before.storage ?? {}),
    ...Object.keys(after.storage ?? {}),
  ]) as Set<Hex>
  return [...slots].map(slot => ({
    what: (
      <>
        slot <code>{slot}</code>
      </>
    ),
    before: <code>{before.storage?.[slot] ?? ZERO_WORD}</code>,
    after: <code>{after.storage?.[slot] ?? ZERO_WORD}</code>,
  }))
}

/** What changed in an account. The tracer leaves out what is the same, and slots that became zero. */
const changesOf = (before: RpcAccountState, after: RpcAccountState | undefined): readonly Change[] => {
  if (after === undefined) return [{ what: 'account', before: 'existed', after: 'deleted' }]
  const changes: Change[] = []
  if (after.balance !== undefined) {
    const [was, is] = [BigInt(before.balance ?? '0x0'), BigInt(after.balance)]
    changes.push({
      what: 'balance',
      before: formatEther(was),
      after: (
        <>
          {formatEther(is)}{' '}
          <small>
            ({is >= was ? '+' : ''}
            {formatEther(is - was)})
          </small>
        </>
      ),
    })
  }
  if (after.nonce !== undefined)
    changes.push({
      what: 'nonce',
      before: formatInteger(before.nonce ?? 0),
      after: formatInteger(after.nonce),
    })
  if (after.code !== undefined)
    changes.push({
      what: 'code',
      before: <Bytes hex={before.code ?? '0x'} />,
      after: <Bytes hex={after.code} />,
    })
  return [...changes, ...storageChanges(before, after)]
}

const Account = ({ address, changes }: { readonly address: Hex; readonly changes: readonly Change[] }) => (
  <>
    <h3>
      <AddressLink address={address} whole />
    </h3>
    <dl class="changes">
      {changes.map(({ what, before, after }, index) => (
        <div key={index}>
          <dt>{what}</dt>
          <dd>{before}</dd>
          <dd>
            <span class="sr">became </span>
            <span aria-hidden="true">→ </span>
            {after}
          </dd>
        </div>
      ))}
    </dl>
  </>
)

/** Balances, nonces, code and storage before and after. */
export const StateChanges = ({ hash }: { readonly hash: string }) => {
  const loaded = useLoaded(`state ${hash}`, () =>
    call<RpcStateDiff>('debug_traceTransaction', hash, {
      tracer: 'prestateTracer',
      tracerConfig: { diffMode: true },
    }),
  )
  return (
    <Panel title="State changes">
      <Ready of={loaded} method="debug_traceTransaction">
        {({ pre, post }) => {
          const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])] as Hex[]
          const accounts = addresses
            .map(address => ({ address, changes: changesOf(pre[address] ?? {}, post[address]) }))
            .filter(({ changes }) => changes.length > 0)
          return accounts.length === 0 ? (
            <Notice>Nothing changed.</Notice>
          ) : (
            accounts.map(account => <Account key={account.address} {...account} />)
          )
        }}
      </Ready>
    </Panel>
  )
}
