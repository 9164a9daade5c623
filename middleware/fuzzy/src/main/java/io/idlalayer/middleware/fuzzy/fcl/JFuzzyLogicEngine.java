package io.idlalayer.middleware.fuzzy.fcl;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates rules with the library jFuzzyLogic, if its jar is on the class path. It gets the rules
 * as our parser understood them, every default spelled out.
 */
final class JFuzzyLogicEngine implements FuzzyEngine {
  private static final String ENTRY = "net.sourceforge.jFuzzyLogic.FIS";
  private static final String ABSENT =
      "jFuzzyLogic is not on the class path: build or download jFuzzyLogic.jar (the project"
          + " pcingola/jFuzzyLogic) and put it into the lib folder, or choose the built-in engine";

  private final RuleBase base;
  private final CompiledRules own;
  private final Object block;
  private final Object[] rules;
  private final Method setVariable;
  private final Method evaluate;
  private final Method getVariable;
  private final Method getValue;
  private final Method getDegreeOfSupport;

  JFuzzyLogicEngine(String fileName, RuleBase base, ClassLoader loader) throws FclException {
    this.base = base;
    own = new CompiledRules(base);
    try {
      Class<?> entry = Class.forName(ENTRY, true, loader);
      Object system =
          entry
              .getMethod("createFromString", String.class, boolean.class)
              .invoke(null, new RuleText(base).file(), false);
      Object found =
          system == null
              ? null
              : entry.getMethod("getFunctionBlock", String.class).invoke(system, (Object) null);
      block = present(fileName, found);
      setVariable = block.getClass().getMethod("setVariable", String.class, double.class);
      evaluate = block.getClass().getMethod("evaluate");
      getVariable = block.getClass().getMethod("getVariable", String.class);
      getValue = getVariable.getReturnType().getMethod("getValue");
      rules = ruleObjects();
      getDegreeOfSupport = rules[0].getClass().getMethod("getDegreeOfSupport");
    } catch (ClassNotFoundException | NoClassDefFoundError absent) {
      throw problem(fileName, ABSENT);
    } catch (InvocationTargetException refused) {
      throw problem(fileName, "jFuzzyLogic refuses the rules: " + refused.getCause());
    } catch (ReflectiveOperationException other) {
      throw problem(fileName, "this jFuzzyLogic has another interface: " + other);
    }
  }

  private static Object present(String fileName, @Nullable Object block) throws FclException {
    if (block == null) {
      throw problem(fileName, "jFuzzyLogic finds no function block in the rules");
    }
    return block;
  }

  private static FclException problem(String fileName, String message) {
    return new FclException(fileName, List.of(new FclException.Problem(0, 0, message)));
  }

  private Object[] ruleObjects() throws ReflectiveOperationException {
    java.util.ArrayList<Object> all = new java.util.ArrayList<>();
    Method getBlock = block.getClass().getMethod("getFuzzyRuleBlock", String.class);
    for (RuleBase.Block each : base.blocks()) {
      Object ruleBlock = getBlock.invoke(block, each.name());
      List<?> found = (List<?>) ruleBlock.getClass().getMethod("getRules").invoke(ruleBlock);
      all.addAll(found);
    }
    return all.toArray();
  }

  @Override
  public List<String> inputs() {
    return own.inputs();
  }

  @Override
  public List<String> outputs() {
    return own.outputs();
  }

  @Override
  public List<String> rules() {
    return own.rules();
  }

  @Override
  public void evaluate(double[] inputs, double[] outputs, double[] strengths) {
    try {
      for (int i = 0; i < inputs.length; i++) {
        setVariable.invoke(block, inputs().get(i), inputs[i]);
      }
      evaluate.invoke(block);
      for (int i = 0; i < outputs.length; i++) {
        Object variable = getVariable.invoke(block, outputs().get(i));
        outputs[i] = (double) getValue.invoke(variable);
      }
      for (int i = 0; i < rules.length; i++) {
        strengths[i] = (double) getDegreeOfSupport.invoke(rules[i]);
      }
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException("jFuzzyLogic failed to evaluate the rules", failed);
    }
  }
}
