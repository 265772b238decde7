import type { Abi, AbiFunction } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { inputOf } from '../../abi/input.ts'
import { fieldOf } from '../../parts/fieldOf.ts'
import { ChainText, NodeText } from '../../parts/ChainText.tsx'
import { TransactionLink } from '../../parts/Links.tsx'
import { Values } from '../../parts/Values.tsx'
import { call } from '../../rpc/client.ts'
import { describeFailure, RpcFailure } from '../../rpc/failure.ts'
import type { Hex } from '../../rpc/types.ts'
import { sendThroughWallet } from '../../wallet/wallet.ts'
import { Reason } from '../tx/Outcome.tsx'

type Props = { readonly address: Hex; readonly item: AbiFunction; readonly isRead: boolean }

const dataOf = (item: AbiFunction, form: HTMLFormElement): Hex => {
  const args = item.inputs.map((input, index) => inputOf(input, fieldOf(form, String(index))))
  return encodeFunctionData({ abi: [item] as Abi, functionName: item.name, args })
}

const read = async ({ address, item }: Props, form: HTMLFormElement): Promise<ComponentChildren> => {
  const data = await call<Hex>('eth_call', { to: address, data: dataOf(item, form) }, 'latest')
  const result: unknown = decodeFunctionResult({ abi: [item] as Abi, functionName: item.name, data })
  const values = item.outputs.length === 1 ? [result] : ((result ?? []) as readonly unknown[])
  return <Values parameters={item.outputs} values={values} />
}

const write = async ({ address, item }: Props, form: HTMLFormElement): Promise<ComponentChildren> => {
  const value =
    item.stateMutability === 'payable' ? inputOf({ type: 'uint256' }, fieldOf(form, 'value') || '0') : 0n
  return <TransactionLink hash={await sendThroughWallet(address, dataOf(item, form), value as bigint)} />
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)

const Problem = ({ error, address }: { readonly error: unknown; readonly address: Hex }) => (
  <p class="problem" role="alert">
    {error instanceof RpcFailure && isHex(error.data) ? (
      <>
        reverted: <Reason address={address} data={error.data} />
      </>
    ) : (
      <NodeText text={describeFailure(error, 'eth_call')} />
    )}
  </p>
)

/** One function of a contract: its parameters, and what it returned. */
export const FunctionForm = (props: Props) => {
  const { address, item, isRead } = props
  const [result, setResult] = useState<ComponentChildren>()
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setResult('…')
    try {
      setResult(await (isRead ? read : write)(props, form))
    } catch (error) {
      setResult(<Problem error={error} address={address} />)
    }
  }
  return (
    <details class="function">
      <summary>
        <ChainText text={item.name} />
      </summary>
      <form
        class="fields"
        onSubmit={event => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        {item.inputs.map((input, index) => (
          <label key={index}>
            <span>
              <ChainText text={input.name ?? ''} />{' '}
              <small>
                <ChainText text={input.type} />
              </small>
            </span>
            <input name={String(index)} spellcheck={false} autocomplete="off" />
          </label>
        ))}
        {item.stateMutability === 'payable' && (
          <label>
            Value in wei <input name="value" spellcheck={false} autocomplete="off" />
          </label>
        )}
        <button type="submit">{isRead ? 'Read' : 'Send'}</button>
        <output aria-live="polite">{result}</output>
      </form>
    </details>
  )
}
