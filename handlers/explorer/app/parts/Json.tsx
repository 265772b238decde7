/** Longest text that is shown. */
const LENGTH_MAX = 300_000

/** The unchanged answer of the node. */
export const Json = ({ label, value }: { readonly label: string; readonly value: unknown }) => {
  const text = JSON.stringify(value, undefined, 2)
  return (
    <pre tabIndex={0} aria-label={label}>
      {text.slice(0, LENGTH_MAX)}
      {text.length > LENGTH_MAX ? `\n… ${text.length} characters in all` : ''}
    </pre>
  )
}
