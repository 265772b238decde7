import type { AbiFunction } from 'viem'
import { useState } from 'preact/hooks'
import { abiChanges, abiOf, dropAbi, keepAbi } from '../../abi/stored.ts'
import { useValue } from '../../hooks/useValue.ts'
import { fieldOf } from '../../parts/fieldOf.ts'
import { Notice, Panel } from '../../parts/Panel.tsx'
import type { Hex } from '../../rpc/types.ts'
import { FunctionForm } from './FunctionForm.tsx'

/** Takes the ABI as a text or a file. */
const AbiForm = ({ address }: { readonly address: Hex }) => {
  const [problem, setProblem] = useState<string>()
  const keep = (text: string): void => {
    try {
      keepAbi(address, text)
      setProblem(undefined)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <form
      class="fields"
      onSubmit={event => {
        event.preventDefault()
        keep(fieldOf(event.currentTarget, 'abi'))
      }}
    >
      <label>
        ABI, or the file of a compiler, as JSON <textarea name="abi" rows={5} spellcheck={false} />
      </label>
      <label>
        From a file
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(keep)}
        />
      </label>
      <button type="submit">Keep in this browser</button>
      <p role="alert" class="problem">
        {problem}
      </p>
    </form>
  )
}

const isRead = ({ stateMutability }: AbiFunction): boolean =>
  stateMutability === 'view' || stateMutability === 'pure'

const Functions = ({
  title,
  address,
  functions,
}: {
  readonly title: string
  readonly address: Hex
  readonly functions: readonly AbiFunction[]
}) => (
  <Panel title={title}>
    {functions.length === 0 && <Notice>The ABI has none.</Notice>}
    {functions.map((one, index) => (
      <FunctionForm key={`${one.name} ${index}`} address={address} item={one} isRead={isRead(one)} />
    ))}
  </Panel>
)

/** Calls the functions of a contract whose ABI the reader gives. */
export const Contract = ({ address }: { readonly address: Hex }) => {
  useValue(abiChanges)
  const abi = abiOf(address)
  if (abi === undefined)
    return (
      <Panel title="ABI">
        <Notice>
          Give the ABI of this contract to decode its calls, events and errors, and to call its functions. It
          stays in this browser.
        </Notice>
        <AbiForm address={address} />
      </Panel>
    )
  const functions = abi.filter(item => item.type === 'function')
  return (
    <>
      <div class="columns">
        <Functions title="Read" address={address} functions={functions.filter(isRead)} />
        <Functions
          title="Write through your wallet"
          address={address}
          functions={functions.filter(one => !isRead(one))}
        />
      </div>
      <button type="button" class="quiet" onClick={() => dropAbi(address)}>
        Remove the ABI
      </button>
    </>
  )
}
