import { visibleParts } from '../format/text.ts'

type Props = { readonly text: string; readonly lengthMax?: number }

/**
 * A text that comes from the chain: isolated, so that its writing direction does not move what stands beside it, with
 * invisible characters shown by name.
 */
export const ChainText = ({ text, lengthMax }: Props) => (
  <bdi class="foreign">
    {visibleParts(text, lengthMax).map(part =>
      part.isControl ? <code class="control">{part.text}</code> : part.text,
    )}
  </bdi>
)

/** Longest sentence of a node: one that names each validator of a large network. */
const SENTENCE_MAX = 5_000

/** A sentence of the node, which may quote what others wrote, such as the name of a peer. */
export const NodeText = ({ text }: { readonly text: string }) => (
  <ChainText text={text} lengthMax={SENTENCE_MAX} />
)
