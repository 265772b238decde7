import { useLoaded } from '../hooks/useLoaded.ts'
import { useValue } from '../hooks/useValue.ts'
import { ChainText } from '../parts/ChainText.tsx'
import { call } from '../rpc/client.ts'
import { setToken, token } from '../rpc/session.ts'

/** Which node and which chain this is. */
export const Footer = () => {
  const given = useValue(token)
  const { value } = useLoaded('footer', async () => {
    const [client, chain] = await Promise.all([
      call<string>('web3_clientVersion'),
      call<string>('eth_chainId'),
    ])
    return { client, chain: BigInt(chain) }
  }, [given])
  return (
    <footer>
      {value !== undefined && (
        <span>
          <ChainText text={value.client} /> · chain {value.chain.toString()}
        </span>
      )}
      <span>
        Keys: <kbd>/</kbd> search, <kbd>←</kbd> <kbd>→</kbd> earlier and later block
      </span>
      {given !== undefined && (
        <button type="button" class="link" onClick={() => setToken(undefined)}>
          Log out
        </button>
      )}
    </footer>
  )
}
