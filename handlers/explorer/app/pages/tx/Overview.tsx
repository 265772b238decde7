import { decodeCall } from '../../abi/decode.ts'
import { abiChanges } from '../../abi/stored.ts'
import { transfersOf } from '../../chain/transfers.ts'
import { formatEther, formatGasPrice, formatInteger } from '../../format/quantity.ts'
import { useValue } from '../../hooks/useValue.ts'
import { GasUsed } from '../../parts/Amount.tsx'
import { Bytes } from '../../parts/Bytes.tsx'
import { Details } from '../../parts/Details.tsx'
import { ChainText } from '../../parts/ChainText.tsx'
import { AddressLink, BlockLink } from '../../parts/Links.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { WholeTime } from '../../parts/Time.tsx'
import { TransferTable } from '../../parts/TransferTable.tsx'
import { Values } from '../../parts/Values.tsx'
import { head } from '../../rpc/heads.ts'
import { Outcome } from './Outcome.tsx'
import type { Mined } from './transaction.tsx'

const TYPES: Readonly<Record<string, string>> = {
  '0x0': 'legacy',
  '0x1': 'access list (EIP-2930)',
  '0x2': 'dynamic fee (EIP-1559)',
  '0x3': 'blobs (EIP-4844)',
  '0x4': 'set code (EIP-7702)',
}

const PlaceInChain = ({ number }: { readonly number: bigint }) => {
  const latest = useValue(head) ?? number
  return (
    <>
      <BlockLink number={number} />{' '}
      <small>
        final, {latest > number ? `${formatInteger(latest - number)} blocks ago` : 'the latest block'}
      </small>
    </>
  )
}

const Input = ({ transaction }: Pick<Mined, 'transaction'>) => {
  useValue(abiChanges)
  const { to, input } = transaction
  const decoded = decodeCall(to, input)
  if (input === '0x') return null
  return (
    <Panel title={to === null ? 'Constructor code' : 'Call'}>
      {decoded !== undefined && (
        <>
          <p>
            <strong>
              <ChainText text={decoded.name} />
            </strong>
          </p>
          <Values parameters={decoded.parameters} values={decoded.values} />
        </>
      )}
      <Bytes hex={input} />
    </Panel>
  )
}

/** The main facts about a transaction. */
export const Overview = ({ transaction, receipt }: Mined) => {
  const { blockNumber, blockTimestamp, from, to, value, nonce, gas, type, transactionIndex } = transaction
  const transfers = receipt === null ? [] : transfersOf(receipt.logs)
  const price = receipt?.effectiveGasPrice ?? transaction.gasPrice
  return (
    <>
      <Panel title="Overview">
        <Details
          rows={[
            ['Status', <Outcome key="status" transaction={transaction} receipt={receipt} />],
            [
              'Block',
              blockNumber === null ? undefined : <PlaceInChain key="block" number={BigInt(blockNumber)} />,
            ],
            [
              'Time',
              blockTimestamp === undefined ? undefined : <WholeTime key="time" timestamp={blockTimestamp} />,
            ],
            ['From', <AddressLink key="from" address={from} whole />],
            ['To', to === null ? undefined : <AddressLink key="to" address={to} whole />],
            [
              'Created contract',
              receipt?.contractAddress ? (
                <AddressLink key="new" address={receipt.contractAddress} whole />
              ) : undefined,
            ],
            ['Value', formatEther(BigInt(value))],
            ['Fee', receipt === null ? undefined : formatEther(BigInt(receipt.gasUsed) * BigInt(price))],
            [receipt === null ? 'Maximum gas price' : 'Gas price', formatGasPrice(BigInt(price))],
            [
              'Gas',
              receipt === null ? (
                `at most ${formatInteger(BigInt(gas))}`
              ) : (
                <>
                  <GasUsed used={BigInt(receipt.gasUsed)} limit={BigInt(gas)} /> of{' '}
                  {formatInteger(BigInt(gas))}
                </>
              ),
            ],
            ['Nonce', formatInteger(BigInt(nonce))],
            [
              'Index in the block',
              transactionIndex === null ? undefined : formatInteger(BigInt(transactionIndex)),
            ],
            ['Type', TYPES[type] ?? type],
          ]}
        />
      </Panel>
      {transfers.length > 0 && (
        <Panel title="Token transfers">
          <TransferTable transfers={transfers} empty="" />
        </Panel>
      )}
      <Input transaction={transaction} />
    </>
  )
}
