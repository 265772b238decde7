import { formatInteger, formatShare } from '../format/quantity.ts'

/** Used gas, with its share of the limit as a bar. */
export const GasUsed = ({ used, limit }: { readonly used: bigint; readonly limit: bigint }) => (
  <span class="gas">
    <span>{formatInteger(used)}</span>
    <meter
      min={0}
      max={1}
      value={limit === 0n ? 0 : Number((used * 1000n) / limit) / 1000}
      aria-label="share of the gas limit"
    >
      {formatShare(used, limit)}
    </meter>
  </span>
)
