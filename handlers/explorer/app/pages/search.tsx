import { useEffect } from 'preact/hooks'
import { isAddressText, isHash } from '../format/hex.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { ChainText } from '../parts/ChainText.tsx'
import { Failure, Notice } from '../parts/Panel.tsx'
import { navigate } from '../route.ts'
import { call } from '../rpc/client.ts'

/** Thousands may be separated, as this explorer writes them. */
const numberOf = (text: string): string | undefined => {
  const digits = text.replace(/[\s\u202f,_']/g, '')
  return /^\d{1,20}$/.test(digits) ? BigInt(digits).toString() : undefined
}

/** The page of a text: of a block, a transaction or an address; undefined when there is none. */
const pathOf = async (text: string): Promise<string | undefined> => {
  if (isAddressText(text)) return `/address/${text}`
  if (isHash(text)) {
    const [transaction, block] = await Promise.all([
      call<object | null>('eth_getTransactionByHash', text),
      call<object | null>('eth_getBlockByHash', text, false),
    ])
    if (transaction !== null) return `/tx/${text}`
    return block === null ? undefined : `/block/${text}`
  }
  const number = numberOf(text)
  return number === undefined ? undefined : `/block/${number}`
}

export const SearchPage = ({ text }: { readonly text: string }) => {
  const { value, error, isLoading } = useLoaded(text, () => pathOf(text))
  useEffect(() => {
    if (value === undefined) return
    history.replaceState(null, '', '/explorer')
    navigate(value)
  }, [value])
  return (
    <>
      <h1>Search</h1>
      {error !== undefined && <Failure error={error} />}
      {!isLoading && value === undefined && error === undefined && (
        <Notice>
          Nothing was found for <ChainText text={text} />. A transaction or a block has a hash of 32 bytes, an
          account an address of 20 bytes, a block a number.
        </Notice>
      )}
    </>
  )
}
