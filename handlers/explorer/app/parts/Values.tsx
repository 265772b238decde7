import type { AbiParameter } from 'viem'
import { formatInteger } from '../format/quantity.ts'
import type { Hex } from '../rpc/types.ts'
import { ChainText } from './ChainText.tsx'
import { Bytes } from './Bytes.tsx'
import { AddressLink } from './Links.tsx'

type ValueProps = {
  readonly type: string
  readonly components?: readonly AbiParameter[]
  readonly value: unknown
}

/** Elements of an array that are shown. */
const ELEMENTS_MAX = 50

const elementOf = (type: string): string | undefined => /^(.*)\[\d*\]$/.exec(type)?.[1]

const List = ({ type, components = [], value }: ValueProps) => {
  const elements = value as readonly unknown[]
  return (
    <ol class="values" start={0}>
      {elements.slice(0, ELEMENTS_MAX).map((element, index) => (
        <li key={index}>
          <ValueOf type={type} components={components} value={element} />
        </li>
      ))}
      {elements.length > ELEMENTS_MAX && <li class="notice">and {elements.length - ELEMENTS_MAX} more</li>}
    </ol>
  )
}

/** One value of an ABI type. */
const ValueOf = ({ type, components = [], value }: ValueProps) => {
  const element = elementOf(type)
  if (element !== undefined && Array.isArray(value))
    return <List type={element} components={components} value={value} />
  if (type === 'tuple' && typeof value === 'object' && value !== null)
    return (
      <Values
        parameters={components}
        values={components.map(({ name }, index) =>
          Array.isArray(value) ? value[index] : (value as Record<string, unknown>)[name ?? ''],
        )}
      />
    )
  if (type === 'address') return <AddressLink address={value as Hex} whole />
  if (typeof value === 'bigint' || typeof value === 'number') return <>{formatInteger(value)}</>
  if (type === 'string') return <ChainText text={String(value)} />
  if (type.startsWith('bytes')) return <Bytes hex={value as Hex} />
  return <>{String(value)}</>
}

type ValuesProps = { readonly parameters: readonly AbiParameter[]; readonly values: readonly unknown[] }

/** Named values of a call, an event or an error. */
export const Values = ({ parameters, values }: ValuesProps) => (
  <dl class="values">
    {parameters.map((parameter, index) => (
      <div key={index}>
        <dt>
          <ChainText
            text={parameter.name === undefined || parameter.name === '' ? String(index) : parameter.name}
          />{' '}
          <small>
            <ChainText text={parameter.type} />
          </small>
        </dt>
        <dd>
          <ValueOf
            type={parameter.type}
            components={'components' in parameter ? parameter.components : []}
            value={values[index]}
          />
        </dd>
      </div>
    ))}
  </dl>
)
