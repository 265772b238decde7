const GROUP = 3

/** Separates the thousands with thin spaces, which cannot be mistaken for a decimal sign. */
const grouped = (digits: string): string => {
  const parts: string[] = []
  for (let end = digits.length; end > 0; end -= GROUP)
    parts.unshift(digits.slice(Math.max(0, end - GROUP), end))
  return parts.join('\u202f')
}

/** No word of the chain is longer than 256 bits; the product of two has at most 512. */
const LARGEST = 2n ** 512n
const TOO_LARGE = 'more than 10¹⁵⁴'

const isTooLarge = (value: bigint): boolean => value > LARGEST || value < -LARGEST

/** A whole number with all its digits. */
export const formatInteger = (value: bigint | number): string => {
  const whole = BigInt(value)
  if (isTooLarge(whole)) return TOO_LARGE
  const text = whole.toString()
  return text.startsWith('-') ? `−${grouped(text.slice(1))}` : grouped(text)
}

/** An exact amount of a unit with decimals, without trailing zeros. */
export const formatUnits = (value: bigint, decimals: number): string => {
  if (isTooLarge(value)) return TOO_LARGE
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${value < 0n ? '−' : ''}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`
}

const ETHER_DECIMALS = 18
const GWEI_DECIMALS = 9

export const formatEther = (wei: bigint): string => `${formatUnits(wei, ETHER_DECIMALS)} ETH`

/** A price of gas: in gwei, or in wei where that is shorter. */
export const formatGasPrice = (wei: bigint): string =>
  wei < 100_000n ? `${formatInteger(wei)} wei` : `${formatUnits(wei, GWEI_DECIMALS)} gwei`

/** The price in four significant digits, for places without room for all. */
export const formatRoundGasPrice = (wei: bigint): string => {
  const unit = 10n ** BigInt(Math.max(0, wei.toString().length - 4))
  return formatGasPrice(((wei + unit / 2n) / unit) * unit)
}

/** Tenths of a percent; a share that is not zero is never shown as zero. */
export const formatShare = (part: bigint, whole: bigint): string => {
  if (whole === 0n || part === 0n) return '0 %'
  const tenths = (part * 1000n) / whole
  return tenths === 0n ? '< 0.1 %' : `${Number(tenths) / 10} %`
}

export const formatBytes = (count: bigint | number): string =>
  count === 1 || count === 1n ? '1 byte' : `${formatInteger(count)} bytes`
