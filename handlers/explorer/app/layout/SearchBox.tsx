import { useEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../route.ts'

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select')

/** Search by hash, number or address. The key / reaches it from everywhere. */
export const SearchBox = () => {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isField(event.target) || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <search class="search">
      <form
        onSubmit={event => {
          event.preventDefault()
          const wanted = text.trim()
          if (wanted !== '') navigate(`/explorer/search/${encodeURIComponent(wanted)}`)
          setText('')
          field.current?.blur()
        }}
      >
        <input
          ref={field}
          type="search"
          value={text}
          aria-label="Search by hash, block number or address"
          aria-keyshortcuts="/"
          placeholder="Hash, block number, address   /"
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  )
}
