"""Networks that PyTorch's exporters write as ONNX: python pytorch.py FOLDER [PART OF A NAME ...]

NETWORK.dynamo.onnx is what torch.onnx.export writes by default, and NETWORK.script13.onnx what it
writes with dynamo=False and operators of set 13. The others have a fixed number of rows.
"""

import sys
import warnings

warnings.filterwarnings("ignore")
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(1)
L = nn.Linear


class Net(nn.Module):
    def __init__(s,f,**m):
        super().__init__()
        for k,v in m.items(): setattr(s,k,v)
        s.f=f
    def forward(s,*x): return s.f(s,*x)
L=nn.Linear
def mlp(act,last=3,final=None,norm=False,drop=False):
    l=[L(4,8)]
    if norm: l.append(nn.BatchNorm1d(8))
    l.append(act)
    if drop: l.append(nn.Dropout(0.3))
    l+= [L(8,6),nn.ReLU(),L(6,last)] if isinstance(act,nn.ReLU) else [L(8,last)]
    if final: l.append(final)
    return nn.Sequential(*l)
class Res(nn.Module):
    def __init__(s):
        super().__init__()
        s.c0=nn.Conv2d(1,4,3,padding=1,bias=False); s.b0=nn.BatchNorm2d(4)
        s.c1=nn.Conv2d(4,4,3,padding=1,bias=False); s.b1=nn.BatchNorm2d(4)
        s.c2=nn.Conv2d(4,4,3,padding=1,bias=False); s.b2=nn.BatchNorm2d(4)
        s.c3=nn.Conv2d(4,6,3,stride=2,padding=1,bias=False); s.b3=nn.BatchNorm2d(6)
        s.c4=nn.Conv2d(6,6,3,padding=1,bias=False); s.b4=nn.BatchNorm2d(6)
        s.d=nn.Conv2d(4,6,1,stride=2,bias=False); s.bd=nn.BatchNorm2d(6)
        s.p=nn.AdaptiveAvgPool2d(1); s.fc=L(6,3)
    def forward(s,x):
        x=F.relu(s.b0(s.c0(x)))
        x=F.relu(s.b2(s.c2(F.relu(s.b1(s.c1(x)))))+x)
        x=F.relu(s.b4(s.c4(F.relu(s.b3(s.c3(x)))))+s.bd(s.d(x)))
        return s.fc(torch.flatten(s.p(x),1))
class Rec(nn.Module):
    def __init__(s,cell,view=None,bi=False,layers=1,last='out'):
        super().__init__()
        s.r=cell(3,5,num_layers=layers,batch_first=True,bidirectional=bi); s.o=L(10 if bi else 5,2); s.last=last
    def forward(s,x):
        # an application has values one after the other, and of each its steps
        x=x.view(-1,3,4).permute(0,2,1)
        y,h=s.r(x)
        if s.last=='out': return s.o(y[:,-1,:])
        h=h[0] if isinstance(h,tuple) else h
        return s.o(h[-1])
def lenet(): return nn.Sequential(nn.Conv2d(1,3,5,padding=2),nn.ReLU(),nn.MaxPool2d(2),nn.Conv2d(3,4,3),nn.ReLU(),nn.AvgPool2d(2),nn.Flatten(),L(4,10),nn.ReLU(),L(10,3))
def vgg(): return nn.Sequential(nn.Conv2d(3,4,3,padding=1),nn.BatchNorm2d(4),nn.ReLU(),nn.Conv2d(4,4,3,padding=1),nn.BatchNorm2d(4),nn.ReLU(),nn.MaxPool2d(2,2),nn.Conv2d(4,6,3,padding=1),nn.BatchNorm2d(6),nn.ReLU(),nn.MaxPool2d(2,2),nn.Flatten(),L(24,8),nn.ReLU(),nn.Dropout(),L(8,3))
class Emb(nn.Module):
    def __init__(s,bag=False):
        super().__init__(); s.e=(nn.EmbeddingBag(20,4,mode='sum') if bag else nn.Embedding(20,4)); s.l=L(7,8); s.o=L(8,2); s.bag=bag
    def forward(s,x,ids):
        v=s.e(ids)
        if not s.bag: v=v.flatten(1)
        return s.o(F.relu(s.l(torch.cat([x,v],1))))
cases={
 'mlp_relu':(mlp(nn.ReLU()),[(4,)]),
 'mlp_tanh':(mlp(nn.Tanh()),[(4,)]),
 'mlp_sigmoid':(mlp(nn.Sigmoid()),[(4,)]),
 'mlp_leaky':(mlp(nn.LeakyReLU(0.1)),[(4,)]),
 'mlp_elu':(mlp(nn.ELU()),[(4,)]),
 'mlp_silu':(mlp(nn.SiLU()),[(4,)]),
 'mlp_gelu':(mlp(nn.GELU()),[(4,)]),
 'mlp_gelu_tanh':(mlp(nn.GELU(approximate='tanh')),[(4,)]),
 'mlp_selu':(mlp(nn.SELU()),[(4,)]),
 'mlp_softplus':(mlp(nn.Softplus()),[(4,)]),
 'mlp_softsign':(mlp(nn.Softsign()),[(4,)]),
 'mlp_mish':(mlp(nn.Mish()),[(4,)]),
 'mlp_swish':(mlp(nn.SiLU()),[(4,)]),
 'mlp_hardsigmoid':(mlp(nn.Hardsigmoid()),[(4,)]),
 'mlp_hardswish':(mlp(nn.Hardswish()),[(4,)]),
 'mlp_relu6':(mlp(nn.ReLU6()),[(4,)]),
 'mlp_prelu':(mlp(nn.PReLU()),[(4,)]),
 'cnn_gelu':(nn.Sequential(nn.Conv2d(1,4,3,padding=1),nn.GELU(),nn.AdaptiveAvgPool2d((1,1)),nn.Flatten(),L(4,3)),[(1,8,8)]),
 'mlp_layernorm_plain':(nn.Sequential(L(4,8),nn.LayerNorm(8,elementwise_affine=False),nn.ReLU(),L(8,3)),[(4,)]),
 'mlp_layernorm_first':(nn.Sequential(nn.LayerNorm(4),L(4,8),nn.ReLU(),L(8,3)),[(4,)]),
 'mlp_block':(Net(lambda s,x:(lambda h:s.o(s.m(h+s.c(F.gelu(s.b(s.n(h)))))))(s.a(x)),a=L(4,8),n=nn.LayerNorm(8),b=L(8,16),c=L(16,8),m=nn.LayerNorm(8),o=L(8,3)),[(4,)]),
 'mlp_layernorm':(nn.Sequential(L(4,8),nn.LayerNorm(8),nn.ReLU(),L(8,3)),[(4,)]),
 'mlp_softmax':(mlp(nn.ReLU(),final=nn.Softmax(1)),[(4,)]),
 'mlp_logsoftmax':(mlp(nn.ReLU(),final=nn.LogSoftmax(dim=-1)),[(4,)]),
 'mlp_binary':(mlp(nn.ReLU(),last=1,final=nn.Sigmoid()),[(4,)]),
 'mlp_binary_logit':(mlp(nn.ReLU(),last=1),[(4,)]),
 'mlp_target':(mlp(nn.ReLU(),last=1),[(4,)]),
 'mlp_target_squeezed':(Net(lambda s,x:s.m(x).squeeze(-1),m=mlp(nn.ReLU(),last=1)),[(4,)]),
 'mlp_batchnorm':(mlp(nn.ReLU(),norm=True,drop=True),[(4,)]),
 'mlp_batchnorm_first':(nn.Sequential(nn.BatchNorm1d(4),L(4,8),nn.ReLU(),nn.BatchNorm1d(8),L(8,3)),[(4,)]),
 'mlp_nobias':(nn.Sequential(L(4,8,bias=False),nn.ReLU(),L(8,3,bias=False)),[(4,)]),
 'mlp_skip':(Net(lambda s,x:(lambda h:s.o(F.relu(s.b(h))+h))(F.relu(s.a(x))),a=L(4,8),b=L(8,8),o=L(8,3)),[(4,)]),
 'mlp_skip_input':(Net(lambda s,x:s.o(torch.cat([F.relu(s.a(x)),x],1)),a=L(4,8),o=L(12,3)),[(4,)]),
 'mlp_scaled':(Net(lambda s,x:s.m((x-s.mean)/s.std),m=mlp(nn.ReLU()),mean=nn.Parameter(torch.tensor([.5,-.2,1.,0.])),std=nn.Parameter(torch.tensor([2.,.5,1.,3.]))),[(4,)]),
 'two_inputs':(Net(lambda s,a,b:s.o(F.relu(s.l(torch.cat([a,b],1)))),l=L(4,8),o=L(8,3)),[(1,),(3,)]),
 'two_towers':(Net(lambda s,a,b:s.o(torch.cat([F.relu(s.l(a)),torch.tanh(s.m(b))],1)),l=L(1,4),m=L(3,5),o=L(9,3)),[(1,),(3,)]),
 'cnn_lenet':(lenet(),[(1,8,8)]),
 'cnn_lenet_view':(Net(lambda s,x:s.fc(F.relu(F.max_pool2d(s.c(x),2)).view(x.size(0),-1)),c=nn.Conv2d(1,3,5,padding=2),fc=L(48,3)),[(1,8,8)]),
 'cnn_lenet_viewm1':(Net(lambda s,x:s.fc(F.relu(F.max_pool2d(s.c(x),2)).view(-1,48)),c=nn.Conv2d(1,3,5,padding=2),fc=L(48,3)),[(1,8,8)]),
 'cnn_stride':(nn.Sequential(nn.Conv2d(1,4,3,stride=2,padding=1),nn.ReLU(),nn.Flatten(),L(64,3)),[(1,8,8)]),
 'cnn_dilation':(nn.Sequential(nn.Conv2d(1,4,3,dilation=2),nn.ReLU(),nn.Flatten(),L(64,3)),[(1,8,8)]),
 'cnn_groups':(nn.Sequential(nn.Conv2d(2,4,3,padding=1,groups=2),nn.ReLU(),nn.Flatten(),L(64,3)),[(2,4,4)]),
 'cnn_resnet':(Res(),[(1,8,8)]),
 'cnn_vgg':(vgg(),[(3,8,8)]),
 'cnn_vgg_normalized':(nn.Sequential(nn.Conv2d(1,4,3,stride=2,padding=1),nn.BatchNorm2d(4),nn.ReLU(),nn.Flatten(),L(64,8),nn.ReLU(),L(8,3)),[(1,8,8)]),
 'cnn_gap':(nn.Sequential(nn.Conv2d(1,4,3,padding=1),nn.ReLU(),nn.AdaptiveAvgPool2d((1,1)),nn.Flatten(),L(4,3)),[(1,8,8)]),
 'cnn_adaptive2':(nn.Sequential(nn.Conv2d(1,4,3,padding=1),nn.ReLU(),nn.AdaptiveAvgPool2d((2,2)),nn.Flatten(),L(16,3)),[(1,8,8)]),
 'cnn_mean':(Net(lambda s,x:s.fc(F.relu(s.c(x)).mean(dim=(2,3))),c=nn.Conv2d(1,4,3,padding=1),fc=L(4,3)),[(1,8,8)]),
 'cnn_flat_input':(Net(lambda s,x:s.fc(F.relu(s.c(x.view(-1,1,8,8))).flatten(1)),c=nn.Conv2d(1,4,3,padding=1),fc=L(256,3)),[(64,)]),
 'cnn_ceil':(nn.Sequential(nn.Conv2d(1,4,3,padding=1),nn.ReLU(),nn.MaxPool2d(3,2,ceil_mode=True),nn.Flatten(),L(64,3)),[(1,8,8)]),
 'cnn_1d':(nn.Sequential(nn.Conv1d(2,4,3,padding=1),nn.ReLU(),nn.MaxPool1d(2),nn.Conv1d(4,4,3),nn.ReLU(),nn.Flatten(),L(16,3)),[(2,12)]),
 'cnn_1d_gap':(nn.Sequential(nn.Conv1d(2,4,3,padding=1),nn.ReLU(),nn.AdaptiveAvgPool1d(1),nn.Flatten(),L(4,3)),[(2,12)]),
 'lstm':(Rec(nn.LSTM),[(12,)]),
 'lstm_h':(Rec(nn.LSTM,last='h'),[(12,)]),
 'lstm_two':(Rec(nn.LSTM,layers=2),[(12,)]),
 'lstm_bi':(Rec(nn.LSTM,bi=True),[(12,)]),
 'gru':(Rec(nn.GRU),[(12,)]),
 'embedding':(Emb(),[(3,),('ids',1)]),
 'embedding_bag':(Emb(True),[(3,),('ids',3)]),
 'embedding_mean':(Net(lambda s,x,ids:s.o(F.relu(s.l(torch.cat([x,s.e(ids).mean(1)],1)))),e=nn.Embedding(20,4),l=L(7,8),o=L(8,2)),[(3,),('ids',3)]),
 'embedding_sum':(Net(lambda s,x,ids:s.o(F.relu(s.l(torch.cat([x,s.e(ids).sum(1)],1)))),e=nn.Embedding(20,4),l=L(7,8),o=L(8,2)),[(3,),('ids',3)]),
 'embedding_two':(Net(lambda s,x,u,i:s.o(F.relu(s.l(torch.cat([x,s.e(u).flatten(1),s.f2(i).flatten(1)],1)))),e=nn.Embedding(20,4),f2=nn.Embedding(7,2),l=L(9,8),o=L(8,2)),[(3,),('ids',1),('ids',1,7)]),
 'mlp_double':(mlp(nn.ReLU()).double(),[(4,)]),
 'mlp_half':(mlp(nn.ReLU()).half(),[(4,)]),
}
def settle(m):
    # running statistics as a trained network has them
    for x in m.modules():
        if isinstance(x,nn.LayerNorm) and x.elementwise_affine: nn.init.uniform_(x.weight,.5,1.5); nn.init.uniform_(x.bias,-.3,.3)
        if isinstance(x,(nn.BatchNorm1d,nn.BatchNorm2d)):
            x.running_mean.uniform_(-.5,.5); x.running_var.uniform_(.5,2); nn.init.uniform_(x.weight,.5,1.5); nn.init.uniform_(x.bias,-.3,.3)
    return m.eval()

EXPORTERS = [
    ("dynamo", dict(dynamo=True), None, True),
    ("script13", dict(dynamo=False), 13, True),
    ("script20fixed", dict(dynamo=False), 20, False),
    ("dynamo18fixed", dict(dynamo=True), 18, False),
]
FIXED = {"mlp_relu", "mlp_batchnorm", "cnn_lenet", "cnn_lenet_view", "cnn_resnet", "lstm", "mlp_skip"}


def example(shape, dtype, rows):
    if shape[0] == "ids":
        return torch.randint(0, shape[2] if len(shape) > 2 else 20, (rows, shape[1]))
    return torch.randn((rows,) + shape, dtype=dtype)


def strip(path):
    """Takes out what predictions do not need, such as the stack traces of each operator."""
    model = onnx.load(path, load_external_data=False)
    for each in [model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        del each.metadata_props[:]
    del model.graph.value_info[:]
    onnx.save(model, path)


def main(folder, parts):
    for name, (module, shapes) in cases.items():
        settle(module)
        for tag, arguments, operators, open_rows in EXPORTERS:
            file = f"{name}.{tag}"
            if parts and not any(part in file for part in parts):
                continue
            if not open_rows and name not in FIXED:
                continue
            dtype = next(module.parameters()).dtype
            inputs = tuple(example(shape, dtype, 2 if open_rows else 1) for shape in shapes)
            names = {}
            if len(shapes) > 1:
                names = dict(input_names=["a", "b", "c"][: len(shapes)])
            elif tag == "script20fixed":
                names = dict(input_names=["features"], output_names=["probabilities"])
            if open_rows and arguments["dynamo"]:
                rows = tuple({0: torch.export.Dim("batch")} for _ in shapes)
                names["dynamic_shapes"] = {"x": rows} if isinstance(module, Net) else rows
            elif open_rows:
                names.setdefault("input_names", ["x"])
                names["dynamic_axes"] = {each: {0: "batch"} for each in names["input_names"]}
            if name == "cnn_vgg_normalized" and not arguments["dynamo"]:
                # Keeps the normalization apart from the convolution.
                names["training"] = torch.onnx.TrainingMode.PRESERVE
                names["do_constant_folding"] = False
            elif name == "cnn_vgg_normalized":
                file = f"cnn_vgg_fused.{tag}"
            path = f"{folder}/{file}.onnx"
            torch.onnx.export(
                module, inputs, path, opset_version=operators, verbose=False, **arguments, **names)
            strip(path)


main(sys.argv[1], sys.argv[2:])
