import type { Abi, AbiEvent, AbiFunction, AbiParameter } from 'viem'
import type { AbiError } from './types.ts'

/** `address from, uint256 value`; with `indexed` after the type in events. */
const parametersOf = (text: string): AbiParameter[] =>
  text === ''
    ? []
    : text.split(', ').map(part => {
        const words = part.split(' ')
        return {
          type: words[0] as string,
          name: words.at(-1) as string,
          ...(words[1] === 'indexed' ? { indexed: true } : {}),
        }
      })

const split = (signature: string): readonly [name: string, inputs: AbiParameter[]] => {
  const [name = '', rest = ''] = signature.split('(')
  return [name, parametersOf(rest.replace(')', ''))]
}

const event = (signature: string): AbiEvent => {
  const [name, inputs] = split(signature)
  return { type: 'event', name, inputs }
}

const error = (signature: string): AbiError => {
  const [name, inputs] = split(signature)
  return { type: 'error', name, inputs }
}

const call = (signature: string): AbiFunction => {
  const [name, inputs] = split(signature)
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' }
}

const view = (signature: string, output: string): AbiFunction => ({
  ...call(signature),
  outputs: parametersOf(output),
  stateMutability: 'view',
})

/** Events, functions and errors of ERC-20, ERC-721, ERC-1155, ERC-6093, and those that the compiler of Solidity adds. */
export const STANDARD_ABI: Abi = [
  event('Transfer(address indexed from, address indexed to, uint256 value)'),
  event('Transfer(address indexed from, address indexed to, uint256 indexed tokenId)'),
  event('Approval(address indexed owner, address indexed spender, uint256 value)'),
  event('Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)'),
  event('ApprovalForAll(address indexed owner, address indexed operator, bool approved)'),
  event(
    'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  ),
  event(
    'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ),
  event('URI(string value, uint256 indexed id)'),
  event('OwnershipTransferred(address indexed previousOwner, address indexed newOwner)'),
  call('transfer(address to, uint256 value)'),
  call('approve(address spender, uint256 value)'),
  call('transferFrom(address from, address to, uint256 value)'),
  call('mint(address to, uint256 value)'),
  call('safeTransferFrom(address from, address to, uint256 tokenId)'),
  call('safeTransferFrom(address from, address to, uint256 tokenId, bytes data)'),
  call('setApprovalForAll(address operator, bool approved)'),
  call('safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)'),
  call('safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)'),
  view('balanceOf(address owner)', 'uint256 balance'),
  view('balanceOf(address owner, uint256 id)', 'uint256 balance'),
  view('ownerOf(uint256 tokenId)', 'address owner'),
  view('allowance(address owner, address spender)', 'uint256 remaining'),
  error('Error(string reason)'),
  error('Panic(uint256 code)'),
  error('ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)'),
  error('ERC20InvalidSender(address sender)'),
  error('ERC20InvalidReceiver(address receiver)'),
  error('ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)'),
  error('ERC721NonexistentToken(uint256 tokenId)'),
  error('ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)'),
  error('ERC721InsufficientApproval(address operator, uint256 tokenId)'),
  error('ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)'),
  error('ERC1155MissingApprovalForAll(address operator, address owner)'),
  error('OwnableUnauthorizedAccount(address account)'),
  error('AccessControlUnauthorizedAccount(address account, bytes32 neededRole)'),
]
