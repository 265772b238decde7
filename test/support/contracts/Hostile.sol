// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token whose name attacks the page that shows it.
contract Hostile {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferBatch(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256[] ids,
        uint256[] values
    );

    error NotEnough(uint256 balance, uint256 needed);

    string public name = unicode"<script>document.title='owned'</script><img src=x onerror=alert(1)>\u202Ereversed";
    string public symbol = unicode"\u202EHTE\u200B";
    uint8 public constant decimals = 6;
    uint256 public totalSupply = 123456789012345678901234567890;
    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    /// The same by a call of the contract to itself.
    function forward(address to, uint256 value) external {
        this.moveFor(msg.sender, to, value);
    }

    function moveFor(address from, address to, uint256 value) external {
        require(msg.sender == address(this), "only the contract itself");
        _move(from, to, value);
    }

    /// The event of ERC-721, whose third parameter is indexed.
    function collect(address to, uint256 id) external {
        bytes32 signature = keccak256("Transfer(address,address,uint256)");
        assembly {
            log4(0, 0, signature, 0, to, id)
        }
    }

    function batch(address to, uint256[] calldata ids, uint256[] calldata values) external {
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function _move(address from, address to, uint256 value) private {
        if (balanceOf[from] < value) revert NotEnough(balanceOf[from], value);
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
