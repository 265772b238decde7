import { joinRlpList } from '../../../core/rlp/list.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'

const isList = (item: RawItem): boolean => (item[0] as number) >= 0xc0

/** `[type, status, gas, logs]` of a receipt in its consensus form: `[status, gas, bloom, logs]`, or a byte string of a type and that. */
const withoutBloom = (receipt: RawItem): Uint8Array => {
  const typed = isList(receipt) ? undefined : rawString(receipt, 'a receipt')
  const fields = typed === undefined ? receipt : typed.subarray(1)
  const [status, gas, , logs] = rawItems(fields, 'a receipt', 4) as [RawItem, RawItem, RawItem, RawItem]
  return joinRlpList([encodeRlp(typed?.[0] ?? 0), status, gas, logs])
}

/** The receipts of a block as eth/69 has them, without the bloom that follows from the logs (EIP-7642). @throws RlpError */
export const receiptsWithoutBloom = (receipts: RawItem): Uint8Array =>
  joinRlpList([...iterateRawItems(receipts, 'the receipts of a block')].map(withoutBloom))
